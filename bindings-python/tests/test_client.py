"""The fan-out client: the rules of the hashing strategy and of partial failure."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import pytest
from fleet import Clock, Fleet, by_key, hashing, join_answers, join_requests, names, owners, router, spread
from hypothesis import given
from hypothesis import strategies as st

import shardway
from shardway import HashingStrategy, PartFailure, PartitionedClient, ResponseMergers


def test_no_strategy_sends_whole_requests_to_the_nodes_in_turn() -> None:
    fleet = Fleet()
    with PartitionedClient(router(), fleet.send) as client:
        for _ in range(6):
            assert len(client.call("get", ["a", "b"])) == 2
    assert sorted(fleet.nodes_asked) == sorted(names(3) * 2)


def test_no_strategy_passes_over_nodes_that_are_out() -> None:
    fleet, ring = Fleet(), router()
    ring.eject("node-1")
    with PartitionedClient(ring, fleet.send) as client:
        for _ in range(6):
            client.call("get", ["a"])
    assert set(fleet.nodes_asked) == {"node-0", "node-2"}


def test_grouping_sticks_to_a_node_for_single_and_batched_requests() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client:
        for key in keys:
            assert client.call("get", [key]) == [f"{key}@{ring.route(key)}"]
        assert sorted(client.call("get", keys)) == sorted(f"{key}@{owner}" for key, owner in owners(ring, keys).items())
    assert len(fleet.sent) == len(keys) + 3


def test_everything_on_one_node_sends_the_original_request_untouched() -> None:
    fleet, request = Fleet(), ["a", "b"]
    strategy = HashingStrategy(by_key)  # no merger at all: none is needed
    with PartitionedClient(router(1), fleet.send, strategy=strategy) as client:
        client.call("get", request)
    assert fleet.sent[0][2] is request


def test_a_single_sub_request_of_a_node_is_never_merged() -> None:
    fleet, ring, merged = Fleet(), router(), []
    keys = spread(ring)
    of = owners(ring, keys)
    one = {node: next(key for key in keys if of[key] == node) for node in names(3)}
    requests = shardway.RequestMergers().add("get", lambda requests: merged.append(requests))
    responses = ResponseMergers().add("get", join_answers)
    strategy = HashingStrategy(by_key, request_mergers=requests, response_mergers=responses)
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        client.call("get", list(one.values()))
    assert merged == []
    assert sorted(request for _, _, request in fleet.sent) == sorted([key] for key in one.values())


def test_sub_requests_of_one_node_reach_the_merger_in_the_order_of_their_keys() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client:
        client.call("get", keys)
    for node, _, request in fleet.sent:
        assert request == [key for key in keys if ring.route(key) == node]


@pytest.mark.parametrize("answer", [None, {}, {None: ["a"]}])
def test_no_key_is_an_error_that_names_the_method(answer: Any) -> None:
    with PartitionedClient(router(), Fleet().send, strategy=HashingStrategy(lambda *_: answer)) as client:
        with pytest.raises(shardway.NoPartitioningKeysError, match="getBox") as caught:
            client.call("getBox", ["a"])
        assert caught.value.place == "getBox"


def test_hashing_endpoint_not_specified() -> None:
    strategy = HashingStrategy.per_endpoint({"get": lambda request: {"a": request}})
    fleet = Fleet()
    with PartitionedClient(router(), fleet.send, strategy=strategy) as client:
        with pytest.raises(shardway.NoPartitioningKeysError, match="put"):
            client.call("put", ["a"])
        assert client.call("get", ["a"])
    assert len(fleet.sent) == 1


def test_hashing_function_throws() -> None:
    cause = ZeroDivisionError("boom")

    def broken(endpoint: str, request: Any) -> Any:
        raise cause

    fleet = Fleet()
    with PartitionedClient(router(), fleet.send, strategy=HashingStrategy(broken)) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="boom") as caught:
            client.call("get", ["a"])
        assert caught.value.__cause__ is cause
    assert fleet.sent == []


@pytest.mark.parametrize("answer", ["text", 7, [("a", 1)], {1.5: "x"}, {"a": 1, (): 2}, {"\ud800": 1}])
def test_an_answer_of_the_wrong_form_is_the_strategys_fault(answer: Any) -> None:
    with (
        PartitionedClient(router(), Fleet().send, strategy=HashingStrategy(lambda *_: answer)) as client,
        pytest.raises(shardway.PartitioningStrategyError, match="get"),
    ):
        client.call("get", ["a"])


@pytest.mark.parametrize("role", ["request merger", "response merger"])
def test_a_missing_merger_names_the_method_and_sends_nothing(role: str) -> None:
    fleet, ring = Fleet(), router()
    mergers: dict[str, Any] = {"response_mergers": ResponseMergers().add("get", join_answers)}
    if role == "response merger":
        mergers = {"request_mergers": shardway.RequestMergers().add("get", lambda requests: requests[0])}
    with PartitionedClient(ring, fleet.send, strategy=HashingStrategy(by_key, **mergers)) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match=role) as caught:
            client.call("get", spread(ring))
        assert "get" in str(caught.value)
    assert fleet.sent == []


def test_a_merger_that_throws_is_named_and_the_next_call_works() -> None:
    fleet, ring, broken = Fleet(), router(), [True]

    def requests(parts: Any) -> Any:
        if broken[0]:
            raise KeyError("requests")
        return [key for part in parts for key in part]

    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", requests),
        response_mergers=ResponseMergers().add("get", join_answers),
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="request merger") as caught:
            client.call("get", spread(ring))
        assert isinstance(caught.value.__cause__, KeyError)
        broken[0] = False
        assert len(client.call("get", spread(ring))) == 40


def test_a_response_merger_that_throws_is_named_and_keeps_its_cause() -> None:
    def merge(successes: Any, failures: Any) -> Any:
        raise RuntimeError("merge boom")

    strategy = hashing("other")
    strategy.response_mergers.add("get", merge)
    strategy.request_mergers.add("get", lambda requests: requests[0])
    ring = router()
    with PartitionedClient(ring, Fleet().send, strategy=strategy) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="response merger.*merge boom") as caught:
            client.call("get", spread(ring))
        assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_merger_may_answer_with_an_error_of_its_own() -> None:
    error = LookupError("not enough")
    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", lambda requests: requests[0]),
        response_mergers=ResponseMergers().add("get", lambda successes, failures: error),
    )
    ring = router()
    with PartitionedClient(ring, Fleet().send, strategy=strategy) as client, pytest.raises(LookupError) as caught:
        client.call("get", spread(ring))
    assert caught.value is error


def test_one_answer_in_all_is_the_result_and_its_error_is_the_error() -> None:
    fleet, error = Fleet(), ConnectionError("gone")
    fleet.fail["node-0"] = error
    merged: list[Any] = []
    strategy = HashingStrategy(
        by_key, response_mergers=ResponseMergers().add("get", lambda *parts: merged.append(parts))
    )
    with PartitionedClient(router(1), fleet.send, strategy=strategy) as client:
        with pytest.raises(ConnectionError) as caught:
            client.call("get", ["a", "b"])
        assert caught.value is error
    assert merged == []


def test_batch_with_failing_hosts_the_good_parts_answer_and_the_merger_sees_every_failure() -> None:
    fleet, ring, seen = Fleet(), router(5), []
    errors = {node: ConnectionError(node) for node in ("node-1", "node-3")}
    fleet.fail.update(errors)
    keys = spread(ring, 100)

    def merge(successes: list[Any], failures: list[PartFailure]) -> Any:
        seen.extend(failures)
        return join_answers(successes, failures)

    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add("get", merge),
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        answers = client.call("get", keys)
    of = owners(ring, keys)
    assert {answer.split("@")[0] for answer in answers} == {key for key in keys if of[key] not in errors}
    assert {failure.node for failure in seen} == set(errors)
    for failure in seen:
        assert failure.error is errors[failure.node or ""]
        assert list(failure.keys) == [key for key in keys if of[key] == failure.node]
        assert (failure.endpoint, failure.partition, failure.request) == ("get", None, list(failure.keys))


def test_with_no_success_the_merger_raises_the_first_failure_as_it_is() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    fleet.fail.update({node: ConnectionError(node) for node in names(3)})
    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client, pytest.raises(ConnectionError) as caught:
        client.call("get", keys)
    assert caught.value is fleet.fail[ring.route(keys[0])]


def test_successes_reach_the_merger_in_the_order_of_their_keys_not_of_arrival() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    order = list(dict.fromkeys(ring.route(key) for key in keys))
    fleet.wait = {node: threading.Event() for node in order}
    # The last of them answers first: each lets the one before it go.
    for before, node in itertools.pairwise(order):
        fleet.hooks[node] = fleet.wait[before].set
    fleet.wait[order[-1]].set()
    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client:
        answers = client.call("get", keys)
    assert list(dict.fromkeys(answer.split("@")[1] for answer in answers)) == order


def test_batch_with_slow_hosts_all_parts_are_under_way_at_once() -> None:
    ring, barrier = router(), threading.Barrier(3)

    def send(node: shardway.Node, endpoint: str, request: Any) -> Any:
        barrier.wait(20)  # passes only when all three parts are being sent
        return request

    with PartitionedClient(ring, send, strategy=hashing()) as client:
        assert len(client.call("get", spread(ring))) == 40


def test_a_late_part_is_a_failure_and_its_end_still_counts_for_its_node() -> None:
    fleet, ring = Fleet(), router(failure_accrual={"consecutive_failures": 1})
    slow = ring.route("key:0")
    fleet.wait[slow], fleet.fail[slow] = threading.Event(), ConnectionError("late")
    seen: list[PartFailure] = []

    def merge(successes: list[Any], failures: list[PartFailure]) -> Any:
        seen.extend(failures)
        return join_answers(successes, failures)

    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add("get", merge),
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        answers = client.call("get", spread(ring), timeout_ms=200)
        assert answers
        assert not any(answer.endswith(slow) for answer in answers)
        assert [(failure.node, type(failure.error)) for failure in seen] == [(slow, shardway.PartTimeoutError)]
        fleet.wait[slow].set()
        deadline = time.monotonic() + 10
        while ring.next_tick_ms() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
    assert ring.admit(slow, 0) == "fail_fast"


def test_a_late_single_part_is_a_timeout_of_the_request() -> None:
    fleet, ring = Fleet(), router(1)
    fleet.wait["node-0"] = threading.Event()
    with PartitionedClient(ring, fleet.send, strategy=hashing(), timeout_ms=50) as client:
        with pytest.raises(TimeoutError, match="it was sent") as caught:
            client.call("get", ["a"])
        assert isinstance(caught.value, shardway.ShardNotAvailableError)
        fleet.wait["node-0"].set()


def test_parts_that_never_began_in_time_are_not_sent_later() -> None:
    fleet, ring = Fleet(), router(2)
    fleet.wait = {node: threading.Event() for node in names(2)}
    responses = ResponseMergers().add("get", lambda successes, failures: [str(failure.error) for failure in failures])
    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", lambda requests: requests[0]),
        response_mergers=responses,
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy, max_workers=1, timeout_ms=100) as client:
        texts = client.call("get", spread(ring))
        assert sorted(text.rsplit("; ", 1)[1] for text in texts) == ["it was not sent", "it was sent"]
        for event in fleet.wait.values():
            event.set()
    assert len(fleet.sent) == 1


def test_calls_that_call_again_do_not_wait_for_each_other() -> None:
    ring = router()
    keys = spread(ring)

    def send(node: shardway.Node, endpoint: str, request: Any) -> Any:
        return client.call("get", keys) if endpoint == "outer" else request  # three parts inside each part

    with PartitionedClient(ring, send, strategy=hashing("outer", "get"), max_workers=1) as client:
        threads = [threading.Thread(target=client.call, args=("outer", spread(ring))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()


def test_a_request_holds_one_snapshot_from_start_to_end() -> None:
    fleet, ring = Fleet(), router()

    def grow_meanwhile(endpoint: str, request: Any) -> Any:
        ring.publish(shardway.Topology(["other"], scheme="ring-v1"))
        return by_key(endpoint, request)

    strategy = HashingStrategy(
        grow_meanwhile,
        request_mergers=shardway.RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add("get", join_answers),
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        assert len(client.call("get", spread(ring))) == 40
        assert set(fleet.nodes_asked) == set(names(3))
        assert all(answer.endswith("@other") for answer in client.call("get", ["a", "b"]))


def test_eight_threads_at_once_while_the_topology_changes_lose_nothing() -> None:
    fleet, ring, wrong = Fleet(), router(), []
    keys = spread(ring)

    def work() -> None:
        for _ in range(50):
            answers = client.call("get", keys)
            if sorted(answer.split("@")[0] for answer in answers) != sorted(keys):
                wrong.append(answers)

    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for count in [4, 5, 3, 2, 6] * 10:
            ring.publish(shardway.Topology(names(count), scheme="ring-v1"))
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert wrong == []


def test_add_two_nodes_to_three_then_drop_one() -> None:
    fleet, ring = Fleet(), router(3)
    keys = spread(ring, 200)
    with PartitionedClient(ring, fleet.send, strategy=hashing()) as client:
        assert client.stats().router.redistributes == 1
        ring.publish(shardway.Topology(names(5), scheme="ring-v1"))
        before = owners(ring, keys)
        ring.publish(shardway.Topology(names(4), scheme="ring-v1"))
        stats = client.stats()
        assert (stats.router.redistributes, stats.router.leaves, stats.nodes) == (3, 1, 4)
        after = owners(ring, keys)
        assert all(before[key] == after[key] or before[key] == "node-4" for key in keys)


def test_a_host_dies_with_ejection_on_and_only_its_keys_move() -> None:
    clock, fleet = Clock(), Fleet()
    ring = router(5, eject_failed_host=True, failure_accrual={"consecutive_failures": 3})
    keys = spread(ring, 200)
    before = owners(ring, keys)
    victim = before[keys[0]]
    fleet.fail[victim] = ConnectionError("down")
    with PartitionedClient(ring, fleet.send, strategy=hashing(), clock_ms=clock) as client:
        for _ in range(3):
            client.call("get", keys)
        stats = client.stats().router
        assert (stats.ejections, stats.redistributes, stats.dead_nodes) == (1, 2, 1)
        after = owners(ring, keys)
        assert all((before[key] != after[key]) == (before[key] == victim) for key in keys)
        assert len(client.call("get", keys)) == len(keys)


def test_revival_of_one_of_five_hosts_puts_its_keys_back() -> None:
    clock, fleet = Clock(), Fleet()
    policy = {"consecutive_failures": 1, "backoff_min_ms": 100, "backoff_max_ms": 100}
    ring = router(5, eject_failed_host=True, failure_accrual=policy)
    victim = ring.route("a")
    fleet.fail[victim] = ConnectionError("down")
    with PartitionedClient(ring, fleet.send, strategy=hashing(), clock_ms=clock) as client:
        with pytest.raises(ConnectionError):
            client.call("get", ["a"])
        assert not client.call("get", ["a"])[0].endswith(victim)
        fleet.fail.clear()
        clock.now_ms += 100
        assert client.call("get", ["a"]) == [f"a@{victim}"]
        assert (client.stats().router.revivals, client.stats().router.dead_nodes) == (1, 0)
        assert ring.admit(victim, clock.now_ms) == "send"


def test_revival_of_the_only_host() -> None:
    clock, fleet = Clock(), Fleet()
    policy = {"consecutive_failures": 1, "backoff_min_ms": 100, "backoff_max_ms": 100}
    ring = router(1, eject_failed_host=True, failure_accrual=policy)
    fleet.fail["node-0"] = ConnectionError("down")
    with PartitionedClient(ring, fleet.send, strategy=hashing(), clock_ms=clock) as client:
        with pytest.raises(ConnectionError):
            client.call("get", ["a"])
        fleet.fail.clear()
        with pytest.raises(shardway.ShardNotAvailableError):
            client.call("get", ["a"])
        clock.now_ms += 100
        assert client.call("get", ["a"]) == ["a@node-0"]


def test_without_ejection_requests_to_a_dead_node_fail_fast_and_the_ring_stays() -> None:
    clock, fleet = Clock(), Fleet()
    policy = {"consecutive_failures": 1, "backoff_min_ms": 100, "backoff_max_ms": 100}
    ring = router(3, failure_accrual=policy)
    victim = ring.route("a")
    fleet.fail[victim] = ConnectionError("down")
    with PartitionedClient(ring, fleet.send, strategy=hashing(), clock_ms=clock) as client:
        with pytest.raises(ConnectionError):
            client.call("get", ["a"])
        sent = len(fleet.sent)
        with pytest.raises(shardway.NodeUnavailableError, match=victim) as caught:
            client.call("get", ["a"])
        assert caught.value.nodes == (victim,)
        assert (len(fleet.sent), ring.route("a"), client.stats().router.ejections) == (sent, victim, 0)
        fleet.fail.clear()
        clock.now_ms += 100
        assert client.call("get", ["a"]) == [f"a@{victim}"]


def test_what_classify_says_counts_and_one_that_throws_counts_as_a_failure() -> None:
    policy = {"consecutive_failures": 1}
    for verdict, admission in [("success", "send"), ("ignored", "send"), ("failure", "fail_fast"), (None, "fail_fast")]:
        fleet, ring = Fleet(), router(1, failure_accrual=policy)
        fleet.fail["node-0"] = LookupError("declared")

        def classify(error: BaseException, verdict: Any = verdict) -> Any:
            return 1 / 0 if verdict is None else verdict

        with PartitionedClient(ring, fleet.send, strategy=hashing(), classify=classify, clock_ms=Clock()) as client:
            with pytest.raises(LookupError):
                client.call("get", ["a"])
            assert ring.admit("node-0", 1_000) == admission


def test_a_closed_client_says_so() -> None:
    client = PartitionedClient(router(), Fleet().send, strategy=hashing())
    client.call("get", spread(client.router))
    client.close()
    client.close()
    with pytest.raises(shardway.ClosedError):
        client.call("get", ["a"])


def test_close_waits_for_what_is_under_way_and_ends_the_threads() -> None:
    fleet, ring, answers = Fleet(), router(), []
    fleet.wait = {node: threading.Event() for node in names(3)}
    client = PartitionedClient(ring, fleet.send, strategy=hashing())
    caller = threading.Thread(target=lambda: answers.append(client.call("get", spread(ring))))
    caller.start()
    while len(fleet.sent) < 3:
        time.sleep(0.001)
    closer = threading.Thread(target=client.close)
    closer.start()
    for event in fleet.wait.values():
        event.set()
    closer.join(20)
    caller.join(20)
    assert len(answers[0]) == 40
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("shardway")]


@pytest.mark.parametrize("endpoint", [None, "", 7])
def test_an_endpoint_is_a_name(endpoint: Any) -> None:
    with PartitionedClient(router(), Fleet().send) as client, pytest.raises(TypeError, match="endpoint"):
        client.call(endpoint, ["a"])


def test_hashing_for_one_endpoint_leaves_the_others_whole() -> None:
    fleet, ring = Fleet(), router()
    strategy = HashingStrategy.for_endpoint(
        "get",
        lambda request: {key: [key] for key in request},
        request_type=list,
        request_merger=join_requests,
        response_merger=join_answers,
    )
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        assert len(client.call("get", spread(ring))) == 40
        assert set(fleet.nodes_asked) == set(names(3))
        fleet.sent.clear()
        client.call("put", spread(ring))
        assert len(fleet.sent) == 1
        with pytest.raises(shardway.PartitioningStrategyError, match="type tuple; the strategy takes list"):
            client.call("get", ("a",))


@given(
    keys=st.lists(st.text(max_size=8).filter(lambda key: key.isprintable()), min_size=1, max_size=40, unique=True),
    failing=st.sets(st.sampled_from(names(4))),
)
def test_no_part_is_lost_whatever_fails(keys: list[str], failing: set[str]) -> None:
    fleet, ring = Fleet(), router(4)
    fleet.fail = {node: ConnectionError(node) for node in failing}
    strategy = HashingStrategy(
        by_key,
        request_mergers=shardway.RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add(
            "get",
            lambda successes, failures: (
                join_requests(successes),
                [key for part in failures for key in part.keys],
            ),
        ),
    )
    of = owners(ring, keys)
    with PartitionedClient(ring, fleet.send, strategy=strategy) as client:
        if len(set(of.values())) == 1:
            return
        answered, failed = client.call("get", keys)
    order = list(dict.fromkeys(of.values()))
    expected = [key for node in order for key in keys if of[key] == node]
    assert answered == [f"{key}@{of[key]}" for key in expected if of[key] not in failing]
    assert failed == [key for key in expected if of[key] in failing]
