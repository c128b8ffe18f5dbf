"""Lunar lander: the twelve constants of a rule that lands it.

    python3 lander.py [--episodes K] [--seeded]

The rule is gymnasium's own heuristic for LunarLander with its numbers as parameters of [0, 2], as in the
TuRBO paper (Eriksson et al. 2019). The value is the negated mean return of 50 episodes (--episodes), whose
seeds (the terrain, the first push) are 0, 1, ... (with --seeded: 1000 times the seed of the line plus these),
without wind, each of at most 1,000 steps.
"""

from __future__ import annotations

from problem import Problem, arguments, serve

import gymnasium

EPISODES = 50
NOTHING, LEFT, MAIN, RIGHT = range(4)


def rule(w: list[float], state) -> int:
    """The engine to fire at a state (x, y, their speeds, angle, its speed, left leg down, right leg down)."""
    x, y, vx, vy, angle, spin, left, right = state
    target = min(max(x * w[0] + vx * w[1], -w[2]), w[2])
    turn = (target - angle) * w[4] - spin * w[5]
    lift = (w[3] * abs(x) - y) * w[6] - vy * w[7]
    if left or right:
        turn, lift = w[8], -vy * w[9]
    if lift > abs(turn) and lift > w[10]:
        return MAIN
    if turn < -w[11]:
        return RIGHT
    return LEFT if turn > w[11] else NOTHING


class Lander:
    def __init__(self, episodes: int = EPISODES):
        self.episodes = episodes
        self.env = gymnasium.make("LunarLander-v3")

    def episode(self, w: list[float], seed: int) -> float:
        state, _ = self.env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            state, reward, ended, cut, _ = self.env.step(rule(w, state.tolist()))
            total += float(reward)
            over = ended or cut
        return total

    def evaluate(self, params: dict, seed: int) -> float:
        w = [params[f"w{i}"] for i in range(12)]
        return -sum(self.episode(w, 1000 * seed + k) for k in range(self.episodes)) / self.episodes


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=EPISODES, help=f"of an evaluation (default: {EPISODES})")
    options = parser.parse_args()
    serve(Problem("lander", {"w[0:11]": {"float": [0, 2]}}, Lander(options.episodes).evaluate), options.seeded)
