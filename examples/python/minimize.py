"""Minimise a function of a hundred numbers and a rate."""

import mahabo


def objective(p):
    return sum((v - 0.3) ** 2 for v in p["w"]) + p["rate"]


if __name__ == "__main__":
    space = [mahabo.Float("w", -1, 1, shape=100), mahabo.Log("rate", 1e-4, 1)]
    result = mahabo.minimize(objective, space, evals=40)
    print(result.value)
