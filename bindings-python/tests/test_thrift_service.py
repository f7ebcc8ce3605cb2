"""`shardway.thrift.service`: what is read off a service of thriftpy2. Apache services are read in `tests/e2e`."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys
from typing import Any

import pytest
import thriftpy2

from shardway import InvalidArgumentTypeError
from shardway.thrift.service import describe

IDL = """
service Base { void ping(), oneway void forget(1: string what) }
service Shop extends Base { i32 buy(2: i32 count, 1: string item, 4: string seller, 3: bool wrap = 1) }
"""


@pytest.fixture(scope="module")
def shop() -> Any:
    return thriftpy2.load_fp(io.StringIO(IDL), "shop_thrift").Shop


def test_endpoints_own_and_inherited(shop: Any) -> None:
    service = describe(shop)
    assert service.name == "Shop"
    assert service.library == "thriftpy2"
    assert set(service.endpoints) == {"ping", "forget", "buy"}
    assert service.endpoints["forget"].oneway
    assert not service.endpoints["ping"].oneway


def test_a_request_has_the_arguments_by_name_in_the_order_of_the_file(shop: Any) -> None:
    buy = describe(shop).endpoints["buy"]
    assert buy.arguments == ("count", "item", "seller", "wrap")
    request = buy.bind((2, "tea"), {"seller": "here"})
    assert (request.count, request.item, request.seller, request.wrap) == (2, "tea", "here", True)
    assert repr(request) == "buy(count=2, item='tea', seller='here', wrap=True)"
    assert request == dataclasses.replace(request)
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.count = 3
    assert buy.values(dataclasses.replace(request, item="milk")) == {
        "count": 2,
        "item": "milk",
        "seller": "here",
        "wrap": True,
    }


def test_arguments_that_do_not_fit(shop: Any) -> None:
    buy = describe(shop).endpoints["buy"]
    for arguments, named in [((1, "a", "b", True, "c"), {}), ((), {"price": 3}), ((1,), {"count": 2})]:
        with pytest.raises(InvalidArgumentTypeError, match=r"buy takes \(count, item, seller, wrap\)"):
            buy.bind(arguments, named)


def test_a_sub_request_of_another_endpoint_is_refused(shop: Any) -> None:
    endpoints = describe(shop).endpoints
    with pytest.raises(InvalidArgumentTypeError, match=r"a request for buy is a forget"):
        endpoints["buy"].values(endpoints["forget"].bind(("x",), {}))


@pytest.mark.parametrize("nonsense", [None, 3, "Shop", object(), io, dict])
def test_what_is_no_service(nonsense: object) -> None:
    with pytest.raises(InvalidArgumentTypeError, match="generated module of an Apache Thrift service"):
        describe(nonsense)


def test_importing_it_pulls_in_neither_library() -> None:
    look = "import sys, shardway.thrift; print(sorted({'thrift', 'thriftpy2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
