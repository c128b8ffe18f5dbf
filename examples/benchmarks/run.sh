#!/bin/sh
# The guide docs/guides/benchmarks.md, as one script.
set -e
mahabo bench run --method adaptive,random --problem 'exec:python3 oven.py' --batch 2 --evals 20 --trials 3 --out results
mahabo bench table results
