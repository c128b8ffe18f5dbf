"""Studies and trials on a real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from serving import SPACE, Server

import mahabo


def test_ask_and_tell(study: mahabo.Study) -> None:
    one, two, three = study.ask(3, lease=60)
    assert (one.number, two.number, three.number) == (1, 2, 3)
    assert set(one.params) == {"x", "n"} and isinstance(one.params["n"], int)
    assert one.predicted is None and one.lease_expires is not None and one.worker == "tester"
    one.tell(0.5, std=0.1)
    one.tell(0.5, std=0.1)  # idempotent
    two.tell(0.25)
    three.fail("oil")
    best = study.best()
    assert best is not None and (best.number, best.value, best.count) == (2, 0.25, 1)
    assert best.params == two.params
    three.retry()
    (again,) = study.ask(1)
    assert again.number == 3 and again.params == three.params
    again.infeasible("folds")
    assert study.info().states == {"complete": 2, "infeasible": 1}
    assert [t.number for t in study.trials("complete", sort="value")] == [2, 1]
    found = study.trial(3)
    assert (found.state, found.reason, found.value) == ("infeasible", "folds", None)


def test_request_ids_and_fixed_parameters(study: mahabo.Study) -> None:
    first = study.ask(2, request_id="a", fixed={"n": 3})
    assert study.ask(2, request_id="a", fixed={"n": 3}) == first
    assert [t.params["n"] for t in first] == [3, 3]
    assert study.ask(1, request_id="b")[0].number == 3


def test_leases(study: mahabo.Study, shared: Server) -> None:
    (trial,) = study.ask(1, lease=1000)
    before = trial.lease_expires
    trial.heartbeat(2000)
    assert before is not None and trial.lease_expires is not None and trial.lease_expires > before
    other = mahabo.connect(shared.url, worker="other").study(study.name)
    trial.release()
    (served,) = other.ask(1)
    assert served.number == trial.number
    with pytest.raises(mahabo.LeaseLost):
        trial.heartbeat()


def test_steps_are_whole(study: mahabo.Study) -> None:
    (trial,) = study.ask(1)
    for step in (0, 1.0, 2):
        trial.report(step, 1.0)  # type: ignore[arg-type]
    for wrong in (2.5, float("nan"), "3"):
        with pytest.raises((TypeError, ValueError), match="step is .*: it has to be a whole number"):
            trial.report(wrong, 1.0)  # type: ignore[arg-type]
    assert [r.step for r in trial.reports()] == [0, 1, 2]


def test_trials_pages(study: mahabo.Study) -> None:
    points = [{"x": i / 1000, "n": 1} for i in range(1001)]  # three pages
    trials = study.enqueue(*points, request_id="e")
    assert study.enqueue(*points, request_id="e") == trials
    assert [t.params["x"] for t in study.trials("waiting")] == [p["x"] for p in points]
    assert [t.number for t in study.trials(search="0.017")] == [18]


def test_several_tells_are_all_or_none(study: mahabo.Study) -> None:
    study.ask(2)
    with pytest.raises(mahabo.NotFound):
        study.tell({1: 1.0, 9: 2.0})
    study.tell({1: 1.0, 2: 2.0})
    assert study.info().states == {"complete": 2}


def test_corrections(study: mahabo.Study, tmp_path: Path) -> None:
    one, two, three = study.ask(3)
    one.tell(-8.2)
    two.tell(0.5, params={"n": 2})
    three.fail("oil")
    assert two.params["n"] == 2 and study.trial(2).params == two.params
    one.note("typed by hand")
    one.correct(0.82, std=0.1, delete_note=1)
    assert (one.value, one.std, one.notes) == (0.82, 0.1, ())
    (change,) = one.history
    assert change.by == "tester" and change.what.startswith("value -8.2 -> 0.82") and change.time.tzinfo is not None
    best = study.best()
    assert best is not None and (best.number, best.value) == (2, 0.5)
    two.correct(exclude=True)
    assert two.excluded and two.value == 0.5
    best = study.best()
    assert best is not None and best.number == 1
    assert [row["excluded"] for row in study.records()] == [False, True, False]
    two.correct(exclude=False, params={"x": 0.25})
    assert not two.excluded and two.params["x"] == 0.25
    mended = study.correct(3, 0.1)
    assert (mended.number, mended.state, mended.value) == (3, "complete", 0.1)
    assert study.correct(3, state="infeasible", reason="folds").reason == "folds"
    with pytest.raises(ValueError, match="nothing to correct"):
        one.correct()
    with pytest.raises(ValueError, match="std is -1"):
        one.correct(std=-1)
    with pytest.raises(mahabo.Problem, match="has no note 7"):
        one.correct(delete_note=7)


def test_change(client: mahabo.Client, study: mahabo.Study) -> None:
    one = client.create_study(study.name + "-change", [mahabo.Float("x", 0, 1)], method="sobol")
    one.enqueue({"x": 0.2}, {"x": 0.8})
    for t in one.ask(2):
        t.tell(t.params["x"])
    narrow = [mahabo.Float("x", 0, 0.5, digits=2), mahabo.Log("y", 0.1, 10, digits=1)]
    preview = one.change(narrow, {"y": 1}, preview=True)
    assert not preview["changed"] and [t["number"] for t in preview["outside"]] == [2]
    assert one.change(narrow, {"y": 1})["changed"]
    assert one.trial(2).excluded and "expected a number in [0, 0.5]" in one.trial(2).outside
    (t,) = one.ask(1)
    assert t.params["x"] == round(t.params["x"], 2) and set(t.params) == {"x", "y"}
    with pytest.raises(mahabo.Problem, match="is new"):
        one.change([*narrow, mahabo.Float("z", 0, 1)])


def test_change_of_a_study_with_outcomes(client: mahabo.Client) -> None:
    space = [mahabo.Float("x", 0, 1)]
    study = client.create_study("outcomes-change", space, outcomes={"m": "minimize", "k[0:1]": {"at_most": 1}}, method="sobol")
    study.ask(1)[0].tell({"m": 1, "k0": 0, "k1": 0})
    wider = [*space, mahabo.Float("v", 0, 1, shape=2), mahabo.Choice("d", [None, 1])]
    answer = study.change(wider, {"v": [0.1, 0.2], "d": None}, constraints=["v0 + v1 <= 1"])
    assert answer["changed"] and study.space["constraints"] == ["v0 + v1 <= 1"]
    params = study.trial(1).params
    assert list(params["v"]) == [0.1, 0.2] and params["d"] is None
    assert {"v0", "v1", "d"} <= set(study.records()[0])


def test_export_and_import(study: mahabo.Study, client: mahabo.Client, tmp_path: Path) -> None:
    study.minimize(lambda p: p["x"], evals=3)
    copy = client.create_study(study.name + "-copy", SPACE)
    for name, fresh in (("trials.csv", True), ("trials.jsonl", False)):
        study.export(tmp_path / name)
        dry = copy.import_file(tmp_path / name, dry_run=True)
        assert (dry.good, dry.bad_count, dry.known) == (3, 0, 0 if fresh else 3)
        if fresh:
            assert copy.import_file(tmp_path / name).trials == [1, 2, 3]
            assert copy.import_file(tmp_path / name).repeated
    assert copy.import_file(tmp_path / "trials.jsonl", repeats=True).trials == [4, 5, 6]
    best, imported = study.best(), copy.best()
    assert best is not None and imported is not None and imported.params == best.params
    report = copy.import_rows([{"lr": 0.5, "n": 2, "value": 1}, {"lr": 7, "n": 2, "value": 1}], columns={"x": "lr"}, dry_run=True)
    assert report.good == 1 and report.bad[0][0] == 2 and "x" in report.bad[0][1]
    with pytest.raises(ValueError, match="csv, jsonl or parquet"):
        study.export(tmp_path / "trials.txt")


class Frame:
    """What pandas.DataFrame looks like; pandas itself need not be there."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self._rows


class Missing:
    """pandas.NA, which cannot be compared."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __ne__(self, other: object) -> Any:
        return self


def test_import_rows(client: mahabo.Client) -> None:
    space = [mahabo.Float("x", 0, 1), mahabo.Float("w", 0, 1, shape=3), mahabo.Choice("c", [None, 3, "z"]), mahabo.Float("value", 0, 1)]
    study = client.create_study("rows", space, method="sobol")
    assert study.import_rows([]) == mahabo.ImportReport(0, [], 0, [], False)
    good = {"x": 0.5, "w": (0.1, 0.2, 0.3), "c": None, "params.value": 0.5, "value": 1.0}
    rows = [
        {**good, "value": float("nan")},
        {**good, "x": Missing()},
        {**good, "value": float("inf")},
        {**good, "w": [0.1, 0.2]},
        {**good, "w": [0.1, float("nan"), 0.2]},
        {**good, "std": float("nan"), "notes": Missing(), "cost": None},
        {**good, "c": 3, "value": float("nan"), "state": "failed"},
    ]
    for table in (rows, Frame(rows)):
        report = study.import_rows(table, dry_run=True)
        assert report.good == 2 and [line for line, _ in report.bad] == [1, 2, 3, 4, 5]
        assert ["no value" in e for _, e in report.bad] == [True, True, False, False, True] and "Inf" in report.bad[2][1] and '"w0" is [0.1 0.2]' in report.bad[3][1]
    with pytest.raises(mahabo.Problem, match="row|line"):
        study.import_rows(rows, strict=True)
    assert study.import_rows(rows).trials == [1, 2]
    one, two = study.trials()
    assert (list(one.params["w"]), one.params["c"], two.params["c"], two.state) == ([0.1, 0.2, 0.3], None, 3, "failed")
    named = [{"x": 0.5, "weights": [0.1, 0.2, 0.3], "kind": 3, "v": 0.25, "loss": 2.0}]
    assert study.import_rows(named, columns={"w": "weights", "c": "kind", "params.value": "v", "value": "loss"}).trials == [3]
    three = study.trial(3)
    assert (list(three.params["w"]), three.params["c"], three.params["value"], three.value) == ([0.1, 0.2, 0.3], 3, 0.25, 2.0)
    copy = client.create_study("rows-copy", space, method="sobol")
    assert copy.import_rows(study.records()).good == 3  # its times are of type datetime
    assert [t.params["c"] for t in copy.trials()] == [None, 3, 3]
    with pytest.raises(TypeError, match="row 2: .* is a object: use"):
        study.import_rows([good, {**good, "x": object()}])


def test_formats_and_decimals(client: mahabo.Client, tmp_path: Path) -> None:
    study = client.create_study("formats", SPACE, method="sobol")
    (tmp_path / "a.csv").write_text("x;n;value\n0,125;2;1,5\n0,250;7;1\n")
    assert study.import_file(tmp_path / "a.csv", decimal="comma", dry_run=True).good == 1
    with pytest.raises(mahabo.Problem):
        study.import_file(tmp_path / "a.csv", decimal="comma", strict=True)
    assert study.import_file(tmp_path / "a.csv", decimal="comma").trials == [1] and study.trial(1).value == 1.5
    study.export(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").read_bytes()[:4] == b"PAR1"
    with pytest.raises(ValueError, match="format is 'parquet': write csv or jsonl"):
        study.import_file(tmp_path / "a.parquet")


def test_records_and_dataframe(client: mahabo.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = client.create_study("table", {name: {"float": [0, 1]} for name in ("x", "value", "params.y")}, method="sobol")
    study.ask(1)[0].tell(2.0)
    (row,) = study.records()
    assert row["number"] == 1 and row["value"] == 2.0 and row["worker"] == "tester" and row["batch"] == 1 and row["told"] is not None
    study.export(tmp_path / "table.csv")
    assert ",".join(row) == (tmp_path / "table.csv").read_text().splitlines()[0]
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        study.to_dataframe()


@pytest.mark.parametrize("names", [("x", "y"), ("cost", "seconds"), ("x", "trial.cost")])
def test_cost_and_seconds_of_tables(client: mahabo.Client, tmp_path: Path, names: tuple[str, str]) -> None:
    for outcomes in (None, {"cost": "minimize", "loss": "record"}):
        if outcomes and "cost" in names:
            continue
        made = f"spent-{names[1]}-{bool(outcomes)}"
        study = client.create_study(made, {name: {"float": [0, 1]} for name in names}, method="sobol", outcomes=outcomes)
        (one,) = study.ask(1)
        one.tell({"cost": 2.0} if outcomes else 2.0, cost=12.5, seconds=0.125)
        (row,) = study.records()
        study.export(tmp_path / "table.csv")
        header, line = (text.split(",") for text in (tmp_path / "table.csv").read_text().splitlines())
        assert list(row) == header
        assert list(row.values())[-2:] == [12.5, 0.125] and line[-2:] == ["12.5", "0.125"]
        again = client.create_study(made + "-again", study.space["parameters"], method="sobol", outcomes=outcomes)
        assert again.import_rows([{k: row[k] for k in row if k not in ("created", "asked", "told")}]).good == 1
        assert (again.trial(1).cost, again.trial(1).seconds, again.trial(1).outcomes) == (12.5, 0.125, one.outcomes)


def test_existing_studies(client: mahabo.Client) -> None:
    made = client.create_study("twice", SPACE, method="sobol", goal="maximize", batch=2, budget=40, seed=3, init=7)
    with pytest.raises(mahabo.StudyExists) as caught:
        client.create_study("twice", SPACE)
    assert caught.value.status == 409
    same: list[dict[str, Any]] = [{}, {"seed": 3, "init": 7}]
    for more in same:
        assert client.create_study("twice", SPACE, goal="maximize", exist_ok=True, **more).method == made.method
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ({"x": {"float": [5, 9]}}, {"goal": "maximize"}, "other parameters"),
        (SPACE, {}, "the goal maximize"),
        (SPACE, {"goal": "maximize", "method": "random"}, "the method sobol"),
        (SPACE, {"goal": "maximize", "seed": 4}, "the seed 3"),
        (SPACE, {"goal": "maximize", "init": 8}, "an initial design of 7 trials"),
    ]
    for space, settings, says in cases:
        with pytest.raises(mahabo.StudyDiffers, match=says):
            client.create_study("twice", space, exist_ok=True, **settings)
    assert len(made.ask()) == 2
    assert "twice" in [s.name for s in client.studies()]
    assert "adaptive" in [m["name"] for m in client.methods()]
    client.delete_study("twice")
    with pytest.raises(mahabo.NotFound):
        client.study("twice")


def test_problems_name_the_field(client: mahabo.Client, study: mahabo.Study) -> None:
    with pytest.raises(mahabo.Problem) as caught:
        client.create_study("bad", {"x": {"float": [2, 1]}})
    assert caught.value.status == 422 and caught.value.title
    assert str(caught.value) == 'parameter "x": bounds [2, 1] are in the wrong order: write [1, 2]'  # of a request that nobody wrote
    assert caught.value.errors[0].message.startswith("line 1, column ")
    with pytest.raises(mahabo.Problem) as caught:
        client.create_study("bad", {"x": {"float": [1, 2]}}, method="adaptve")
    assert str(caught.value).startswith('method: unknown method "adaptve" (did you mean "adaptive"?): choose one of ')
    with pytest.raises(mahabo.Problem) as caught:
        study.ask(-1)
    assert caught.value.field == "body.count" and str(caught.value).startswith("count: expected ")
    (trial,) = study.ask(1)
    trial.tell(1.0)
    with pytest.raises(mahabo.OutcomeConflict):
        trial.tell(2.0)
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            trial.tell(wrong)
    with pytest.raises(ValueError, match="std is -1"):
        trial.tell(1.0, std=-1)


@pytest.mark.usefixtures("private")
def test_readme(shared: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    program = "".join(blocks).replace("http://127.0.0.1:8080", shared.url)
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), space)
    assert space["best"].value < 1  # type: ignore[attr-defined]
    assert (tmp_path / "values.svg").exists() and space["result"].value < 30  # type: ignore[attr-defined]


def test_listed_study_that_cannot_be_read() -> None:
    listed = {"name": "broken", "created": "0001-01-01T00:00:00Z", "trials": 0, "states": {}, "best": None, "error": "event 2 of the log does not fit"}
    info = mahabo.StudyInfo.read(listed)
    assert (info.name, info.error, info.space, info.trials, info.best) == ("broken", listed["error"], {}, 0, None)
