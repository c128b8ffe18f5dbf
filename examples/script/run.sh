#!/bin/sh
# The guide docs/guides/command.md, as one script.
set -e
mahabo minimize --space space.yaml --evals 60 --batch 5 --parallel 2 -- ./simulate
