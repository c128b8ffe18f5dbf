#!/bin/sh
# The guide docs/guides/former.md, as one script.
set -e
mahabo minimize --space old.yaml --study rig --evals 15 --quiet -- \
  awk 'BEGIN {{ print ({temperature} - 70) ^ 2 / 100 + ({minutes} - 40) ^ 2 / 50 }}'
mahabo minimize --space space.yaml --study rig2 --from rig,notebook.csv --evals 10 --quiet -- \
  awk 'BEGIN {{ print 50 + ({temperature} - 72) ^ 2 / 10 + ({minutes} - 42) ^ 2 / 5 + {acid} }}'
mahabo study show rig2
