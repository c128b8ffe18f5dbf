#!/bin/sh
# The guide docs/guides/server.md on one machine: a study over HTTP, with curl.
set -e
mahabo serve --addr 127.0.0.1:0 >address &
server=$!
trap 'kill $server' EXIT
until grep -q http address; do sleep 0.1; done
url=$(sed 's/listening on //' address)
curl -sf -X POST "$url/v1/studies" -d '{"name": "rig", "space": {"parameters": {"w[0:9]": {"float": [-1, 1]}, "rate": {"log": [1e-5, 0.1]}}}}'
curl -sf -X POST "$url/v1/studies/rig/ask" -d '{"count": 1, "worker": "me", "lease_seconds": 3600}'
curl -sf -X POST "$url/v1/studies/rig/trials/1/tell" -d '{"value": 0.5}'
curl -sf "$url/v1/studies/rig/best"
