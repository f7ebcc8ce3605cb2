"""The Thrift client of Python, driven by JSON lines: `README.md` says what they mean.

python driver.py [--library thriftpy2]
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import idl
import shardway
from shardway.thrift import ThriftClient

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings-python" / "tests"))
from scenario import Texts, make_strategy

Step = dict[str, Any]
ROUTER_STATS = [name for name, kind in vars(shardway.Stats).items() if inspect.isgetsetdescriptor(kind)]


class Delivery(Texts):
    """Requests are those of the service, answers its results."""

    def __init__(self, delivery: idl.Delivery) -> None:
        self._delivery = delivery
        self.client: Any = None

    def items(self, endpoint: str, request: Any) -> list[str]:
        match endpoint:
            case "getBox":
                return [request.addrInfo.name]
            case "getBoxes":
                return [address.name for address in request.listAddrInfo]
            case "sendBox":
                return [request.box.addrInfo.name]
            case _:
                return [box.addrInfo.name for box in request.boxes]

    def arguments(self, endpoint: str, items: list[str]) -> list[Any]:
        addresses = [self._delivery.AddrInfo(name=item, zipCode=0) for item in items]
        match endpoint:
            case "getBox":
                return [addresses[0], 0]
            case "getBoxes":
                return [addresses, 0]
        boxes = [self._delivery.Box(addrInfo=address, item=address.name) for address in addresses]
        return [boxes[0]] if endpoint == "sendBox" else [boxes]

    def request(self, endpoint: str, items: list[str]) -> Any:
        return self.client.request_type(endpoint)(*self.arguments(endpoint, items))

    def joined(self, endpoint: str, answers: list[Any]) -> Any:
        return ",".join(answers) if endpoint == "sendBoxes" else [box for boxes in answers for box in boxes]


class Driver:
    """The client under way, and what each step does with it."""

    def __init__(self, library: str) -> None:
        self._delivery = idl.load(library)
        self._form = Delivery(self._delivery)
        self._state: shardway.State[Any] = shardway.State(None)

    def do(self, step: Step) -> Step:
        kinds: dict[str, Callable[[Step], Step]] = {
            "topology": self._begin,
            "call": self._call,
            "publish": lambda step: {"outcome": self._router.publish(topology(step["publish"]))},
            "state": self._update,
            "eject": lambda step: {"changed": self._router.eject(step["eject"])},
            "revive": lambda step: {"changed": self._router.revive(step["revive"])},
            "owners": lambda step: {"owners": [self._router.route(key) for key in step["owners"]]},
            "tick": lambda step: {"events": len(self._form.client.tick())},
            "stats": self._stats,
        }
        for kind, act in kinds.items():
            if kind in step:
                return act(step)
        raise SystemExit(f"unknown step: {step}")

    def close(self) -> None:
        if self._form.client is not None:
            self._form.client.close()

    def _begin(self, step: Step) -> Step:
        self._router = shardway.Router(topology(step["topology"]))
        self._state.update(step.get("state"))
        strategy = make_strategy(step["strategy"], self._state, self._form) if step.get("strategy") else None
        self._form.client = ThriftClient(self._delivery.service, self._router, strategy, **step.get("options", {}))
        return {"ready": True, "language": "python"}

    def _call(self, step: Step) -> Step:
        endpoint = step["call"]
        try:
            result = self._form.client.call(endpoint, *self._form.arguments(endpoint, step["request"]))
        except Exception as error:
            return {"error": self._failed(error)}
        if isinstance(result, str):
            return {"result": result}
        boxes = result if isinstance(result, list) else [result]
        return {"result": [[box.addrInfo.name, box.item] for box in boxes]}

    def _failed(self, error: Exception) -> Step:
        if isinstance(error, self._delivery.AException):
            return {"declared": error.errorCode}
        if isinstance(error, shardway.ShardwayError):
            cause = None if error.__cause__ is None else str(error.__cause__)
            return {"code": error.code_name, "text": str(error), "cause": cause}
        return {"transport": str(error)}

    def _update(self, step: Step) -> Step:
        self._state.update(step["state"])
        return {"ok": True}

    def _stats(self, _step: Step) -> Step:
        stats = self._form.client.stats()
        mine = {field.name: getattr(stats, field.name) for field in dataclasses.fields(stats) if field.name != "router"}
        return {"stats": {name: getattr(stats.router, name) for name in ROUTER_STATS} | mine}


def topology(document: Any) -> shardway.Topology:
    return shardway.Topology.from_json(json.dumps(document))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=idl.LIBRARIES, default="thriftpy2")
    driver = Driver(parser.parse_args().library)
    try:
        for line in sys.stdin:
            print(json.dumps(driver.do(json.loads(line))), flush=True)
    finally:
        driver.close()


if __name__ == "__main__":
    main()
