"""Random search with the standard library alone: the smallest peer, for tests of the protocol.

The same seed gives the same points.
"""

import random

from protocol import Task, serve


class RandomSearch:
    def __init__(self, task: Task):
        self.space = task.space
        self.random = random.Random(task.seed)

    def ask(self, n):
        return [self.space.decode_cube([self.random.random() for _ in range(self.space.width)]) for _ in range(n)]

    def tell(self, observations):
        pass


if __name__ == "__main__":
    serve(RandomSearch)
