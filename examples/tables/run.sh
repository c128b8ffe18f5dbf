#!/bin/sh
# The guide docs/guides/tables.md, as one script.
set -e
mahabo study create yield --space space.yaml --goal maximize
mahabo study import yield past.csv --column value=Yield --dry-run
mahabo study import yield past.csv --column value=Yield
