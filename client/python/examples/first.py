"""A hundred parameters, four evaluations at a time, and a picture."""

import mahabo


def simulate(p):
    w = p["w"]
    return (sum(w[:50]) - 20) ** 2 + sum(v * v for v in w[50:]) + (p["solver"] == "euler")


if __name__ == "__main__":
    space = [mahabo.Float("w", -1, 1, shape=100), mahabo.Choice("solver", ["euler", "rk4"])]
    result = mahabo.minimize(simulate, space, evals=60, parallel=4)
    print(result)
    result.plot("values.svg")
