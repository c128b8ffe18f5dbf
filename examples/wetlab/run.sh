#!/bin/sh
# The guide docs/guides/wetlab.md without its prompt: two batches of four experiments.
set -e
mahabo study create yield --space space.yaml --goal maximize --method vanilla --init 4
for batch in 1 2; do
  mahabo ask yield --count 4
  for i in 1 2 3 4; do
    n=$((4 * batch - 4 + i))
    mahabo tell yield $n --value 0.$((20 + 7 * n)) # what the experiment gave
  done
done
mahabo correct yield 8 --value 0.67
mahabo best yield
