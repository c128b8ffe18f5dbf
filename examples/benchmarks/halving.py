import json
import random
import sys

task = json.loads(input())  # {"space", "outcomes", "init", "batch", "evals", "seed", "initial": [{...}, ...]}
print("{}", flush=True)
bounds = {n: p.get("float") for n, p in task["space"]["parameters"].items()}
chance = random.Random(task["seed"])
points, best, reach = task["initial"], None, 1.0


def near(centre):
    step = {n: chance.uniform(-reach, reach) * (b[1] - b[0]) / 2 for n, b in bounds.items() if b}
    return centre | {n: min(max(centre[n] + s, bounds[n][0]), bounds[n][1]) for n, s in step.items()}


for line in sys.stdin:
    question = json.loads(line)
    if "ask" in question:
        if best is not None:
            points = [near(best["params"]) for _ in range(question["ask"])]
        print(json.dumps({"params": points}), flush=True)
        continue
    reach *= 0.9
    for told in question["tell"]:  # {"params": {...}, "outcomes": {"value": 1.2}} or {"params": {...}, "failed": "why"}
        if "outcomes" in told and (best is None or told["outcomes"]["value"] < best["outcomes"]["value"]):
            best = told
    print("{}", flush=True)
