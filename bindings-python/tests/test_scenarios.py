"""Every scenario of `tests/scenarios` on both clients."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import scenario
from scenario import Data, Scenario

import shardway

FOLDER = Path(__file__).parents[2] / "tests" / "scenarios"
MANIFEST: list[Data] = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["files"]
FILES: dict[str, Data] = {
    path.name: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json")) if path.stem != "manifest"
}
CASES = [(f"{name}: {one['name']}", one) for name, file in FILES.items() for one in file["scenarios"]]
EACH = pytest.mark.parametrize("data", [one for _, one in CASES], ids=[name for name, _ in CASES])


@EACH
def test_scenario_on_threads(data: Data) -> None:
    run = Scenario(data)

    def send(node: shardway.Node, endpoint: str, request: Any) -> Any:
        behaviour, release = run.nodes.note(node.id, request)
        if behaviour.get("late"):
            assert release.wait(scenario.WAIT_S)
        return run.nodes.answer(node.id, request, behaviour)

    with shardway.PartitionedClient(run.router, send, **run.options) as client:
        for step in run.steps:
            if "call" not in step:
                run.other_step(step, client)
                continue
            run.nodes.begin(step.get("nodes", {}))
            result = error = None
            try:
                result = client.call(step["call"], step["request"], timeout_ms=step.get("timeout_ms"))
            except Exception as raised:
                error = raised
            finally:
                run.nodes.release.set()
            run.check_call(step, result, error)


@EACH
async def test_scenario_on_asyncio(data: Data) -> None:
    run = Scenario(data)

    async def send(node: shardway.Node, endpoint: str, request: Any) -> Any:
        behaviour, release = run.nodes.note(node.id, request)
        await asyncio.sleep(0)
        if behaviour.get("late"):
            async with asyncio.timeout(scenario.WAIT_S):
                while not release.is_set():
                    await asyncio.sleep(0.001)
        return run.nodes.answer(node.id, request, behaviour)

    async with shardway.AsyncPartitionedClient(run.router, send, **run.options) as client:
        for step in run.steps:
            if "call" not in step:
                await asyncio.to_thread(run.other_step, step, client)
                continue
            run.nodes.begin(step.get("nodes", {}))
            result = error = None
            try:
                result = await client.call(step["call"], step["request"], timeout_ms=step.get("timeout_ms"))
            except Exception as raised:
                error = raised
            finally:
                run.nodes.release.set()
            run.check_call(step, result, error)


def test_the_manifest_counts_the_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    counts: list[Data] = [
        {
            "file": name,
            "scenarios": len(file["scenarios"]),
            "steps": sum(len(one["steps"]) for one in file["scenarios"]),
        }
        for name, file in FILES.items()
    ]
    assert counts == MANIFEST
    scenarios, steps = (sum(one[what] for one in counts) for what in ("scenarios", "steps"))
    with capsys.disabled():
        print(f"\nscenarios: {scenarios} with {steps} steps, on two clients")


def test_scenario_names_are_unique() -> None:
    names = [name for name, _ in CASES]
    assert len(names) == len(set(names))
