"""Linear policies of gymnasium's MuJoCo tasks.

    python3 policy.py walker2d|ant|reacher|double-pendulum|swimmer|hopper [--episodes K] [--seeded]

The action is clip(W (s - mean) / std), one weight of [-1, 1] per action and entry of the state; mean and
std are those of 2,000 steps of uniform actions from seed 0. The value is the negated mean return of the
episodes, whose seeds are 0, 1, ... (with --seeded: 1000 times the seed of the line plus these). An episode
ends as gymnasium ends it. Ant is without contact forces, as in its 27-dimensional state of the literature.
"""

from __future__ import annotations

from problem import Problem, arguments, serve

import gymnasium
import numpy as np

# name: environment, options, episodes
TASKS = {
    "walker2d": ("Walker2d-v5", {}, 3),
    "ant": ("Ant-v5", {"include_cfrc_ext_in_observation": False}, 3),
    "reacher": ("Reacher-v5", {}, 20),
    "double-pendulum": ("InvertedDoublePendulum-v5", {}, 5),
    "swimmer": ("Swimmer-v5", {}, 1),
    "hopper": ("Hopper-v5", {}, 3),
}
STEPS = 2000  # of uniform actions


class Policy:
    def __init__(self, task: str, episodes: int | None = None):
        environment, options, self.episodes = TASKS[task]
        self.episodes = episodes or self.episodes
        self.env = gymnasium.make(environment, **options)
        self.states = self.env.observation_space.shape[0]
        self.actions = self.env.action_space.shape[0]
        self.low, self.high = self.env.action_space.low, self.env.action_space.high
        self.mean, self.std = self.moments()

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the states that uniform actions lead to."""
        rng = np.random.default_rng(0)
        states, seed = [self.env.reset(seed=0)[0]], 0
        for _ in range(STEPS):
            state, _, ended, cut, _ = self.env.step(rng.uniform(self.low, self.high).astype(np.float32))
            if ended or cut:
                seed += 1
                state, _ = self.env.reset(seed=seed)
            states.append(state)
        std = np.std(states, axis=0)
        return np.mean(states, axis=0), np.where(std > 1e-6, std, 1.0)

    def episode(self, weights: np.ndarray, seed: int) -> float:
        state, _ = self.env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            action = np.clip(weights @ ((state - self.mean) / self.std), self.low, self.high)
            state, reward, ended, cut, _ = self.env.step(action.astype(np.float32))
            total += float(reward)
            over = ended or cut
        return total

    def evaluate(self, params: dict, seed: int) -> float:
        count = self.states * self.actions
        weights = np.array([params[f"w{i}"] for i in range(count)]).reshape(self.actions, self.states)
        returns = [self.episode(weights, 1000 * seed + k) for k in range(self.episodes)]
        return -sum(returns) / len(returns)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--episodes", type=int, help="of an evaluation (default: the task's)")
    options = parser.parse_args()
    policy = Policy(options.task, options.episodes)
    parameters = {f"w[0:{policy.states * policy.actions - 1}]": {"float": [-1, 1]}}
    serve(Problem(options.task, parameters, policy.evaluate), options.seeded)
