#!/bin/sh
# The guide docs/guides/workers.md on one machine: a server, a study on it, and a worker.
set -e
mahabo serve --addr 127.0.0.1:0 >address &
server=$!
trap 'kill $server' EXIT
until grep -q http address; do sleep 0.1; done
url=$(sed 's/listening on //' address)
mahabo study create rig --space space.yaml --method sobol --store "$url"
mahabo worker --server "$url" --study rig --slots 4 --evals 20 -- ./simulate {rate} {w3}
mahabo best rig --store "$url"
