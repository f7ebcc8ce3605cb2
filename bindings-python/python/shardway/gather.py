"""From the answers of the parts to one result. No sending here."""

from __future__ import annotations

from typing import Any

from .errors import PartitioningStrategyError
from .failures import PartTimeoutError
from .mergers import PartFailure
from .scatter import Part, Plan, merger_failed, response_merger

__all__ = ["Answer", "gather", "late"]


class Answer:
    """What came of one part: a value or an error."""

    __slots__ = ("error", "node", "value")

    def __init__(self, *, node: str | None, value: Any = None, error: BaseException | None = None) -> None:
        """Keep what came."""
        self.node = node
        self.value = value
        self.error = error


def gather(plan: Plan, answers: list[Answer]) -> Any:
    """Give the result of a request, or raise its error. Every part has its answer in `answers`; none is lost.

    One answer in all is the result. Several go to the response merger.
    """
    if len(answers) == 1:
        (answer,) = answers
        if answer.error is None:
            return answer.value
        try:
            raise answer.error
        finally:
            del answer, answers, plan  # the error's traceback holds this frame: no cycle that keeps the request alive
    merge = response_merger(plan)
    if merge is None:  # refused when the plan was made
        raise PartitioningStrategyError(f"{plan.endpoint}: no response merger", place=plan.endpoint)
    successes = [answer.value for answer in answers if answer.error is None]
    failures = [
        _failure(part, answer, answer.error)
        for part, answer in zip(plan.parts, answers, strict=True)
        if answer.error is not None
    ]
    try:
        result = merge(successes, list(failures))
    except Exception as error:
        if any(error is failure.error for failure in failures):
            raise
        raise merger_failed("response merger", plan.endpoint, error) from error
    if isinstance(result, BaseException):
        raise result
    return result


def late(part: Part, node: str | None, *, sent: bool) -> Answer:
    """Make the answer of a part that has none when the time of the request is up."""
    text = f"{part.endpoint}: no answer in time; {'it was sent' if sent else 'it was not sent'}"
    return Answer(node=node or part.only_node, error=PartTimeoutError(text))


def _failure(part: Part, answer: Answer, error: BaseException) -> PartFailure:
    return PartFailure(error, part.endpoint, answer.node, part.partition, part.keys, part.request)
