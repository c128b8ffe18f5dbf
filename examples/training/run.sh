#!/bin/sh
# The guide docs/guides/training.md, as one script.
set -e
mahabo minimize --space space.yaml --study net --evals 40 --parallel 2 --timeout 1h --retries 1 -- ./train {rate} {width} {layers} {dropout} {schedule} {warmup}
