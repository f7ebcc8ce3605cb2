"""What all tests of the package share."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is no reason to fail: how long an example takes is not what these tests are about.
settings.register_profile("shardway", deadline=None)
settings.load_profile("shardway")
