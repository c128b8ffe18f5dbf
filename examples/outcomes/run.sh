#!/bin/sh
# The guide docs/guides/outcomes.md: the cheapest beam within limits, then the front of cost and deflection.
set -e
mahabo minimize --space limits.yaml --evals 60 --batch 4 --parallel 2 --study cheapest -- ./beam
mahabo best cheapest
mahabo minimize --space front.yaml --evals 60 --batch 4 --parallel 2 --study trade -- ./beam
mahabo front trade
mahabo report trade --out trade.html
