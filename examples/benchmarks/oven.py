import json
import math
import sys


def say(line):
    print(json.dumps(line), flush=True)


say({
    "name": "an oven",
    "space": {"parameters": {
        "temperature": {"float": [20, 80]},
        "layers": {"int": [1, 8]},
        "rate": {"log": [1e-4, 1]},
        "solver": {"choice": ["euler", "heun", "rk4"]},
    }, "constraints": ["temperature + 5*layers <= 90"]},
})
for line in sys.stdin:
    question = json.loads(line)  # {"params": {"temperature": 31.5, ...}, "seed": 7}
    p = question["params"]
    y = (p["temperature"] - 55) ** 2 / 100 + abs(p["layers"] - 5) + math.log10(p["rate"] / 1e-2) ** 2
    if p["solver"] == "euler" and p["rate"] > 0.5:
        say({"failed": "diverged"})
    else:
        say({"value": y})
