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
mahabo serve --addr 127.0.0.1:0 >address &
server=$!
trap 'kill $server; rm -rf "$dir"' EXIT
until grep -q http address; do sleep 0.1; done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb --window-size=1280,800 --virtual-time-budget=10000 \
	--user-data-dir="$dir/profile" --screenshot="$root/docs/picture.png" "$(sed 's/listening on //' address)/studies/cake"
