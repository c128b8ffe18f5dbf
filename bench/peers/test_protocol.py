"""Tests of the protocol, of spaces and of the stub, with the standard library alone.

    cd bench/peers && python3 -m unittest
"""

import json
import random
import subprocess
import sys
import unittest
from pathlib import Path

from driver import Peer, drive
from protocol import Pending, Session, Task, read_outcomes, read_reference
from spaces import Param, Space, expand

HERE = Path(__file__).resolve().parent
STUB = [sys.executable, str(HERE / "stub.py")]

MIXED = {"parameters": {
    "x[0:2]": {"float": [-1, 3], "unit": "m"},
    "rate": {"log": [1e-5, 1e-1]},
    "layers": {"int": [-2, 8]},
    "width": {"logint": [1, 512]},
    "size": {"ordinal": [16, 32, 64]},
    "solver": {"choice": ["a", "b", "c"]},
    "two": {"choice": ["u", "v"]},
    "flag": {"bool": [False, True]},
    "short": "bool",
    "g": {"fixed": 9.8},
}}


def draw(space: Space, source: random.Random) -> dict:
    return space.decode_cube([source.random() for _ in range(space.width)])


class SpaceTest(unittest.TestCase):
    def test_names_expand(self):
        self.assertEqual(expand("w[9:11]"), ["w9", "w10", "w11"])
        self.assertEqual(expand("w"), ["w"])
        for bad in ("w[1]", "w[2:1]", "w[01:2]", "[0:1]", "w[0:1]x"):
            with self.assertRaises(ValueError, msg=bad):
                expand(bad)

    def test_order_and_fixed_values(self):
        space = Space(MIXED)
        self.assertEqual(
            space.names, ["x0", "x1", "x2", "rate", "layers", "width", "size", "solver", "two", "flag", "short"]
        )
        self.assertEqual(space.fixed, {"g": 9.8})
        self.assertEqual(space.width, 13)  # solver has three columns

    def test_values_survive(self):
        space, source = Space(MIXED), random.Random(1)
        for _ in range(500):
            params = draw(space, source)
            for back in (space.decode_cube(space.encode_cube(params)), space.decode(space.encode(params))):
                self.assertEqual(back.keys(), params.keys())
                for name, value in params.items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(back[name], value, delta=1e-12 * max(1, abs(value)))
                    else:
                        self.assertEqual(back[name], value)
                        self.assertIs(type(back[name]), type(value))

    def test_ends_are_reached_exactly(self):
        space = Space(MIXED)
        low, high = space.decode_cube([0.0] * space.width), space.decode_cube([1.0] * space.width)
        self.assertEqual([low[n] for n in ("x0", "layers", "width", "size", "two", "flag")], [-1, -2, 1, 16, "u", False])
        self.assertEqual([high[n] for n in ("x0", "layers", "width", "size", "two", "flag")], [3, 8, 512, 64, "v", True])
        self.assertAlmostEqual(low["rate"], 1e-5)
        self.assertGreaterEqual(low["rate"], 1e-5)
        self.assertLessEqual(high["rate"], 1e-1)

    def test_values_of_integers_are_equally_frequent(self):
        source, p = random.Random(2), Param("n", "int", -1.0, 2.0)
        counts = {v: 0 for v in p.levels}
        for _ in range(8000):
            counts[p.decode(source.random())] += 1
        for count in counts.values():
            self.assertAlmostEqual(count, 2000, delta=200)

    def test_logint_columns(self):
        p = Param("n", "logint", 1.0, 8.0)
        self.assertEqual([p.decode(x) for x in p.columns()], p.levels)
        # 2 and 3 meet at their geometric mean.
        a, b = p.ends
        border = (0.5 * (p.encode(2) + p.encode(3)))
        self.assertEqual((p.decode(border - 1e-9), p.decode(border + 1e-9)), (2, 3))
        self.assertLess(a, 0)
        self.assertEqual(p.outer, (p.columns()[0], p.columns()[-1]))

    def test_constraints_are_refused(self):
        with self.assertRaisesRegex(ValueError, "constraints"):
            Space({**MIXED, "constraints": ["x0 <= 1"]})

    def test_kinds_are_checked(self):
        for body in ({}, {"float": [0, 1], "int": [0, 1]}):
            with self.assertRaisesRegex(ValueError, "one kind"):
                Space({"parameters": {"x": body}})


class OutcomeTest(unittest.TestCase):
    def test_signs_and_bounds(self):
        objectives, limits = read_outcomes({
            "mass": "minimize", "range": "maximize", "stress": {"at_most": 10}, "noise": {"at_least": 3}, "t": "record",
        })
        told = {"mass": 2, "range": 5, "stress": {"value": 9.0, "std": 0.1}, "noise": 1, "t": 7}
        self.assertEqual([o.cost(told) for o in objectives], [2, -5])
        self.assertEqual([o.cost(told) for o in limits], [-1, 2])

    def test_reference(self):
        objectives, _ = read_outcomes({"mass": "minimize", "range": "maximize"})
        declared = {"mass": {"goal": "minimize", "reference": 9}, "range": {"goal": "maximize", "reference": 0.5}}
        self.assertEqual(read_reference(declared, objectives), [9, -0.5])
        self.assertIsNone(read_reference({**declared, "range": "maximize"}, objectives))
        self.assertIsNone(read_reference(None, objectives))

    def test_absent_is_one_value(self):
        objectives, limits = read_outcomes(None)
        self.assertEqual([o.name for o in objectives], ["value"])
        self.assertEqual(limits, [])

    def test_unknown_is_refused(self):
        for bad in ({"a": "least"}, {"a": {"at_most": 1}}):
            with self.assertRaises(ValueError):
                read_outcomes(bad)


class Recorder:
    """Answers asks with constants and keeps what is told."""

    def __init__(self, task: Task):
        self.told = []

    def ask(self, n):
        return [{"x": 0.5} for _ in range(n)]

    def tell(self, observations):
        self.told += observations


class SessionTest(unittest.TestCase):
    space = {"parameters": {"x": {"float": [0, 1]}, "g": {"fixed": 1}}}

    def start(self, initial):
        session = Session(Recorder)
        answer = session.answer({"space": self.space, "init": 2, "batch": 2, "evals": 4, "seed": 1, "initial": initial})
        self.assertEqual(answer, {})
        return session

    def test_initial_points_come_first(self):
        session = self.start([{"x": 0.1}, {"x": 0.2}, {"x": 0.3}])
        self.assertEqual(session.answer({"ask": 2}), {"params": [{"g": 1, "x": 0.1}, {"g": 1, "x": 0.2}]})
        self.assertEqual(session.answer({"ask": 2}), {"params": [{"g": 1, "x": 0.3}, {"g": 1, "x": 0.5}]})

    def test_initial_points_that_are_told_are_not_asked(self):
        session = self.start([{"x": 0.1}, {"x": 0.2}])
        told = [{"params": {"x": x}, "outcomes": {"value": x}} for x in (0.1, 0.2)]
        self.assertEqual(session.answer({"tell": told}), {})
        self.assertEqual(session.answer({"ask": 1}), {"params": [{"g": 1, "x": 0.5}]})
        self.assertEqual([o.y for o in session.method.told], [(0.1,), (0.2,)])

    def test_failed_evaluations(self):
        session = self.start([])
        session.answer({"tell": [{"params": {"x": 0.1}, "failed": "why"}]})
        self.assertTrue(session.method.told[0].failed)

    def test_other_lines_are_refused(self):
        with self.assertRaisesRegex(ValueError, "neither"):
            self.start([]).answer({"stop": True})

    def test_pending_points(self):
        pending = Pending(Space(self.space))
        pending.put({"x": 1.0}, "first")
        pending.put({"x": 1.0}, "second")
        # A whole number may come back without its point.
        self.assertEqual([pending.take({"x": 1, "g": 1}) for _ in range(3)], ["first", "second", None])


class StubTest(unittest.TestCase):
    def run_stub(self, seed):
        f = lambda p: sum(p[f"x{i}"] ** 2 for i in range(3))
        space, source = Space(MIXED), random.Random(0)
        initial = [draw(space, source) for _ in range(4)]
        return drive(STUB, f, MIXED, initial=initial, evals=12, batch=5, seed=seed)

    def test_same_seed_same_points(self):
        one, again, other = self.run_stub(1), self.run_stub(1), self.run_stub(2)
        self.assertEqual(one.params, again.params)
        self.assertNotEqual(one.params[4:], other.params[4:])
        self.assertEqual(len(one.params), 16)

    def test_values_are_of_the_space(self):
        for params in self.run_stub(3).params:
            self.assertEqual(params["g"], 9.8)
            self.assertTrue(-1 <= params["x0"] <= 3)
            self.assertIn(params["size"], (16, 32, 64))
            self.assertIs(type(params["layers"]), int)
            self.assertIs(type(params["flag"]), bool)

    def test_an_error_ends_the_process(self):
        with Peer(STUB, stderr=subprocess.DEVNULL) as peer:
            with self.assertRaisesRegex(RuntimeError, "status 1"):
                peer.send({"space": {"parameters": {"x": {"float": [0, 1]}}, "constraints": ["x <= 1"]}})

    def test_lines_are_json(self):
        lines = [json.dumps({"space": MIXED, "seed": 5}), "", json.dumps({"ask": 2})]
        done = subprocess.run(STUB, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(answers[0], {})
        self.assertEqual(len(answers[1]["params"]), 2)


if __name__ == "__main__":
    unittest.main()
