"""Runs a scenario of `tests/scenarios` against a client; its README says what the data mean.

The interpreter asks the client through two functions, so that the same scenario runs on threads and on asyncio.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import shardway
from shardway import CustomStrategy, HashingStrategy, MethodStrategies, RequestMergers, ResponseMergers, State

Data = dict[str, Any]

WAIT_S = 10
"""How long something that happens on another thread may take; it is met at once in all but a broken run."""


class TransportError(Exception):
    """What a node answers that fails; its text is the scenario's."""


class DeclaredError(TransportError):
    """A declared exception: the answer of a live server."""


class IgnoredError(TransportError):
    """The caller's own doing."""


class Thrown(Exception):
    """What a strategy function or a merger throws when the scenario says so."""


def classify(error: BaseException) -> str:
    if isinstance(error, DeclaredError):
        return "success"
    return "ignored" if isinstance(error, IgnoredError) else "failure"


class Nodes:
    """The transport: answers each item with ``item@node``, or as the step says."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[str]]] = []
        self.behaviour: Data = {}
        self.release = threading.Event()
        self._lock = threading.Lock()

    def begin(self, behaviour: Data) -> None:
        self.sent, self.behaviour, self.release = [], behaviour, threading.Event()

    def note(self, node: str, request: list[str]) -> tuple[Data, threading.Event]:
        with self._lock:
            self.sent.append((node, request))
            return self.behaviour.get(node, {}), self.release

    def answer(self, node: str, request: list[str], behaviour: Data) -> list[str]:
        for kind, error in (("fails", TransportError), ("declares", DeclaredError), ("ignored", IgnoredError)):
            if kind in behaviour:
                raise error(behaviour[kind])
        return [f"{item}@{node}" for item in request]


class Texts:
    """What requests and answers are made of: lists of texts. Another form serves another client."""

    def items(self, endpoint: str, request: Any) -> list[str]:
        return list(request)

    def request(self, endpoint: str, items: list[str]) -> Any:
        return items

    def joined(self, endpoint: str, answers: list[Any]) -> Any:
        return concat(answers)


TEXTS = Texts()


def concat(parts: Any) -> list[str]:
    return [item for part in parts for item in part]


def broken_request_merger(parts: Any) -> Any:
    raise Thrown("the request merger is broken")


def report(successes: Any, failures: Any) -> Any:
    return {
        "answers": successes,
        "failures": [
            {"node": one.node, "partition": one.partition, "keys": list(one.keys), "error": name_of(one.error)}
            for one in failures
        ],
    }


def broken_response_merger(successes: Any, failures: Any) -> Any:
    raise Thrown("the response merger is broken")


def request_merger(endpoint: str, name: str, form: Texts) -> Any:
    def concat_requests(parts: Any) -> Any:
        return form.request(endpoint, concat(form.items(endpoint, part) for part in parts))

    return {"concat": concat_requests, "throws": broken_request_merger}[name]


def response_merger(endpoint: str, name: str, form: Texts) -> Any:
    def concat_answers(successes: Any, failures: Any) -> Any:
        if not successes:
            raise failures[0].error
        return form.joined(endpoint, successes)

    return {"concat": concat_answers, "report": report, "throws": broken_response_merger}[name]


def name_of(error: BaseException) -> str:
    return error.code_name if isinstance(error, shardway.ShardwayError) else str(error)


def split(rule: Any, endpoint: str, request: Any, form: Texts) -> Any:
    items = form.items(endpoint, request)
    if rule is None:
        return None
    ((kind, value),) = rule.items()
    if kind == "throws":
        raise Thrown(value)
    if kind == "each":
        assert value == "key"
        return {item: form.request(endpoint, [other for other in items if other == item]) for item in items}
    if kind == "all":
        return dict.fromkeys(value, request)
    if kind == "pairs":
        return {key: form.request(endpoint, part) for key, part in value}
    assert kind == "table", kind
    parts: dict[int, list[str]] = {}
    for item in items:
        parts.setdefault(value[item], []).append(item)
    return {partition: form.request(endpoint, part) for partition, part in parts.items()}


def splitter(endpoints: Data, form: Texts) -> Callable[[str, Any], Any]:
    def function(endpoint: str, request: Any) -> Any:
        return split(endpoints[endpoint]["split"], endpoint, request, form) if endpoint in endpoints else None

    return function


def mapping(logical: Data) -> Callable[[int], Any]:
    def function(shard_id: int) -> Any:
        serves = logical[str(shard_id)]
        if isinstance(serves, dict):
            raise Thrown(serves["throws"])
        return serves

    return function


def mergers(endpoints: Data, form: Texts) -> Data:
    requests, responses = RequestMergers(), ResponseMergers()
    for name, endpoint in endpoints.items():
        if "request_merger" in endpoint:
            requests.add(name, request_merger(name, endpoint["request_merger"], form))
        if "response_merger" in endpoint:
            responses.add(name, response_merger(name, endpoint["response_merger"], form))
    return {"request_mergers": requests, "response_mergers": responses}


def make_strategy(data: Data, state: State[Any], form: Texts = TEXTS) -> Any:
    kind = data["kind"]
    if kind == "none":
        return None
    if kind == "by_endpoint":
        return MethodStrategies({name: make_strategy(one, state, form) for name, one in data["strategies"].items()})
    if kind == "hashing":
        return HashingStrategy(splitter(data["endpoints"], form), **mergers(data["endpoints"], form))
    assert kind == "custom", kind
    pick = data.get("pick", "p2c")
    if "endpoints" in data:
        return CustomStrategy.no_resharding(
            splitter(data["endpoints"], form),
            logical_partition=mapping(data["logical"]) if "logical" in data else None,
            response_mergers=mergers(data["endpoints"], form)["response_mergers"],
            pick=pick,
        )
    observes_cluster = "by_cluster_size" in data
    table = data["by_cluster_size"] if observes_cluster else data["by_state"]

    def case(value: Any) -> Data:
        key = str(len(value)) if observes_cluster else str(value)
        if key not in table:
            raise Thrown(f"no case for {key}")
        found: Data = table[key]
        return found

    def partitions_at(value: Any) -> Any:
        return splitter(case(value)["endpoints"], form)

    def logical_at(value: Any) -> Any:
        one = case(value)
        return mapping(one["logical"]) if "logical" in one else (lambda shard_id: shard_id)

    # The cases of one endpoint are alike in what they merge: any of them is as good.
    endpoints = {name: one for value in table.values() for name, one in value["endpoints"].items()}
    options = {"pick": pick, "response_mergers": mergers(endpoints, form)["response_mergers"]}
    if observes_cluster:
        return CustomStrategy.cluster_resharding(partitions_at, logical_partition=logical_at, **options)
    return CustomStrategy.resharding(partitions_at, state=state, logical_partition=logical_at, **options)


class Scenario:
    """One scenario under way: its router, clock, state and transport."""

    def __init__(self, data: Data) -> None:
        self.steps: list[Data] = data["steps"]
        self.nodes = Nodes()
        self.state: State[Any] = State(data.get("state"))
        self.strategy = make_strategy(data["strategy"], self.state)
        self.router = shardway.Router(shardway.Topology.from_json(json.dumps(data["topology"])))
        self.now_ms = 1_000
        self.options: Data = {"strategy": self.strategy, "classify": classify, "clock_ms": lambda: self.now_ms}

    def other_step(self, step: Data, client: Any) -> None:
        """Do a step that is no call."""
        if "publish" in step:
            topology = shardway.Topology.from_json(json.dumps(step["publish"]))
            assert self.router.publish(topology) == step["outcome"]
        elif "state" in step:
            self.state.update(step["state"])
        elif "advance_ms" in step:
            self.now_ms += step["advance_ms"]
        elif "tick" in step:
            assert len(client.tick()) == step["tick"]
        else:
            self.check_stats(step["stats"], client)

    def check_stats(self, expected: Data, client: Any) -> None:
        deadline = time.monotonic() + WAIT_S  # the end of a late part is reported by its own thread
        while (found := self.stats(client, expected)) != expected and time.monotonic() < deadline:
            time.sleep(0.001)
        assert found == expected

    def stats(self, client: Any, names: Data) -> Data:
        stats = client.stats()
        return {name: getattr(stats, name) if hasattr(stats, name) else getattr(stats.router, name) for name in names}

    def check_call(self, step: Data, result: Any, error: BaseException | None) -> None:
        """Compare what was sent and what came of it with the step."""
        left = list(self.nodes.sent)
        for expected in step["sent"]:
            allowed = expected["node"] if isinstance(expected["node"], list) else [expected["node"]]
            found = next((one for one in left if one[0] in allowed and one[1] == expected["request"]), None)
            assert found is not None, f"{expected} was not sent, but {left}"
            left.remove(found)
        assert left == [], f"sent and not expected: {left}"
        if "error" in step:
            check_error(step["error"], error)
            return
        if error is not None:
            raise error
        if "items" in step:
            assert [answer.split("@")[0] for answer in result] == step["items"]
        else:
            assert result == step["result"]


def check_error(expected: Data, error: BaseException | None) -> None:
    assert error is not None, f"no error, but {expected}"
    if "transport" in expected:
        assert isinstance(error, TransportError), repr(error)
        assert str(error) == expected["transport"]
        return
    assert isinstance(error, shardway.ShardwayError), repr(error)
    assert error.code_name == expected["code"], repr(error)
    for name in expected.get("names", []):
        assert name in str(error)
    if "cause" in expected:
        assert isinstance(error.__cause__, Thrown)
        assert str(error.__cause__) == expected["cause"]
