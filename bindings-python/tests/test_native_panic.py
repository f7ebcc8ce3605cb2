"""A panic in the native library is an InternalError, and the next call works.

The function that panics is compiled only with the feature `panic-test`, so the test builds a native module of
its own, beside the installed one, and loads it in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shardway

PACKAGE = Path(__file__).parents[1]
PROGRAM = """
from shardway import InternalError, Router, ShardwayError, Topology, _native

router = Router(Topology(["a", "b"], scheme="ring-v1"))
before = router.route("key")
for _ in range(3):
    try:
        _native._panic_on_demand()
    except InternalError as error:
        assert isinstance(error, ShardwayError) and isinstance(error, Exception)
        assert (error.code, error.code_name, error.place) == (90, "Internal", ""), error
        assert "on demand" in str(error), error
    else:
        raise AssertionError("no panic")
    assert router.route("key") == before
    assert sum(map(len, router.group(["key"] * 1000).values())) == 1000
print("survived")
"""


@pytest.fixture(scope="module")
def package_that_panics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("no cargo here: a native module that panics cannot be built")
    # A folder of its own: the installed module's build would undo this one, and the other way round.
    target = Path(os.environ.get("CARGO_TARGET_DIR", PACKAGE.parent / "target")) / "panic-test"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "PYO3_BUILD_EXTENSION_MODULE": "1"}
    environment["PYO3_PYTHON"] = sys.executable
    command = [
        cargo,
        "build",
        "--quiet",
        "--locked",
        "--package",
        "shardway-python",
        "--features",
        "panic-test",
    ]
    subprocess.run(command, cwd=PACKAGE, env=environment, check=True, timeout=600)
    root = tmp_path_factory.mktemp("panics")
    shutil.copytree(Path(shardway.__file__).parent, root / "shardway", ignore=shutil.ignore_patterns("*.so"))
    shutil.copy(target / "debug" / "lib_native.so", root / "shardway" / "_native.abi3.so")
    return root


@pytest.mark.timeout(660)
def test_a_panic_is_an_internal_error(package_that_panics: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package_that_panics)}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=environment,
        cwd=package_that_panics,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "survived\n"
    assert "panicked at" in run.stderr


def test_no_release_can_panic_on_demand() -> None:
    from shardway import _native

    assert not hasattr(_native, "_panic_on_demand")
