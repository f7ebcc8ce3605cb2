"""The taxonomy: one class a code, the same codes as in every language."""

from __future__ import annotations

import copy
import pickle

import pytest

import shardway
from shardway import errors
from shardway._native import error_codes

SUBCLASSES = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]


def test_every_code_of_the_core_has_its_class() -> None:
    assert list(errors.ERRORS_BY_CODE) == [code for code, _, _ in error_codes()]
    for code, name, advice in error_codes():
        kind = errors.ERRORS_BY_CODE[code]
        assert (kind.code, kind.code_name) == (code, name)
        assert kind.__name__ == f"{name}Error"
        assert kind.__doc__
        assert advice


@pytest.mark.parametrize("kind", SUBCLASSES)
def test_an_error_keeps_what_it_says(kind: type[errors.ShardwayError]) -> None:
    assert issubclass(kind, errors.ShardwayError)
    assert getattr(shardway, kind.__name__) is kind
    error = kind("nodes[3].weight: no", place="nodes[3].weight")
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is kind
        assert str(same) == "nodes[3].weight: no"
        assert (same.place, same.code, same.code_name) == ("nodes[3].weight", kind.code, kind.code_name)
    assert kind().place == ""


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.InvalidTopologyError, ValueError),
        (errors.InvalidArgumentError, ValueError),
        (errors.InvalidArgumentTypeError, TypeError),
        (errors.UnknownNodeError, LookupError),
        (errors.NoPartitionError, LookupError),
    ],
)
def test_builtin_kinds(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)
