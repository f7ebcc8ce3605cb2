"""The examples in the docstrings run as they stand."""

from __future__ import annotations

import doctest

import shardway


def test_the_tour_of_the_package_runs() -> None:
    result = doctest.testmod(shardway)
    assert result.attempted >= 9
    assert result.failed == 0
