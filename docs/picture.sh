#!/bin/sh
# Makes docs/picture.png, the picture of a study in README.md: make picture.
# It needs ./mahabo (make build) and chromium.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
cp -r "$root/examples/oven/." "$dir"
cd "$dir"
PATH="$root:$PATH"
mahabo minimize --space space.yaml --study cake --maximize --evals 40 --batch 2 --quiet -- ./bake {temperature} {minutes}
mahabo report cake --out report.html
trap 'rm -rf "$dir"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb --window-size=1280,900 \
	--user-data-dir="$dir/profile" --screenshot="$root/docs/picture.png" "file://$dir/report.html"
