#!/bin/sh
# The guide docs/guides/python.md begins so.
set -e
python3 minimize.py
