"""What can go wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping


class MahaboError(Exception):
    """Base of all errors of this package."""


class ConnectionFailed(MahaboError):
    """The server could not be reached, also after all repetitions."""


class NoneWorked(MahaboError):
    """Every trial of a run failed. The cause is what the objective raised last."""


class ObjectiveFailed(MahaboError):
    """What an objective raised in another process."""

    def __init__(self, text: str, traceback_text: str = "") -> None:
        super().__init__(text)
        self.traceback_text = traceback_text


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. The result has what was evaluated until then."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result


class ImprovisedWarning(UserWarning):
    """Points are not the method's own: it failed, or was not ready in time."""


class Infeasible(Exception):
    """Raise it in an objective at parameters that cannot have a value.

    The model learns to keep away from them, and they are never suggested again.
    """


class Stopped(Exception):
    """Raise it in an objective whose trial should end early, as trial.report said.

    The last report is a bound of what the trial would have come to, not its value.
    """


_INVALID = "validation failed"  # the detail where errors say more
_PLACE = re.compile(r"^(body|query|path)(\.|$)")  # of a field in a request
_POSITION = re.compile(r"^line \d+, column \d+: ")  # in the JSON of a request


@dataclass(frozen=True)
class FieldError:
    """One field of a request that the server cannot use."""

    field: str
    message: str


class Problem(MahaboError):
    """The server refused a request. It answered with an RFC 9457 problem."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.type = str(document.get("type") or "about:blank")
        self.title = str(document.get("title") or f"HTTP status {status}")
        self.detail = str(document.get("detail") or "")
        self.errors = [
            FieldError(str(e.get("location") or ""), str(e.get("message") or ""))
            for e in document.get("errors") or []
        ]
        super().__init__(self._text())

    @property
    def field(self) -> str | None:
        """The first field that is wrong, as in body.space.parameters."""
        return self.errors[0].field if self.errors else None

    def _text(self) -> str:
        """Return what is wrong. How the request looked, of which the user wrote nothing, is in the attributes."""
        texts = [] if self.errors and self.detail == _INVALID else [self.detail or self.title]
        for e in self.errors:
            place = _PLACE.sub("", e.field)
            texts.append(f"{place}: {_POSITION.sub('', e.message)}" if place else _POSITION.sub("", e.message))
        return "; ".join(texts)


class NotFound(Problem):
    """There is no such study or trial."""


class Unauthorized(Problem):
    """The server wants a token, or one that permits more."""


class StudyExists(Problem):
    """A study of this name exists."""


class StudyDiffers(StudyExists):
    """A study of this name exists, with other parameters, another goal or method."""


class OutcomeConflict(Problem):
    """The trial has another outcome already, which stays."""


class LeaseLost(Problem):
    """The trial was served to another worker, or has an outcome."""


class Exhausted(Problem):
    """Every point of the space was tried."""


_BY_TYPE = {
    "urn:mahabo:study-exists": StudyExists,
    "urn:mahabo:study-differs": StudyDiffers,
    "urn:mahabo:outcome-conflict": OutcomeConflict,
    "urn:mahabo:lease-lost": LeaseLost,
    "urn:mahabo:space-exhausted": Exhausted,
}
_BY_STATUS = {401: Unauthorized, 403: Unauthorized, 404: NotFound}


def problem(status: int, document: Mapping[str, Any]) -> Problem:
    """Return the error that stands for an answer."""
    kind = _BY_TYPE.get(str(document.get("type"))) or _BY_STATUS.get(status, Problem)
    return kind(status, document)
