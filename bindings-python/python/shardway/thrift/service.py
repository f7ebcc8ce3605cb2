"""What a generated service offers: its endpoints, their arguments, and how to put calls on the wire and read answers.

`describe` takes the service as either Thrift library has it and gives back a `Service`; everything else in this
package works on that alone.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import partial
from types import ModuleType
from typing import Any, Protocol

from shardway.errors import InvalidArgumentTypeError

__all__ = ["PROTOCOLS", "TRANSPORTS", "Endpoint", "Reply", "Service", "Wire", "describe"]

TRANSPORTS = ("framed", "buffered")
PROTOCOLS = ("binary", "compact")


@dataclass(frozen=True)
class Endpoint:
    """One method of a service.

    `request` is a frozen dataclass named as the method, with the method's arguments as fields: what a strategy gets,
    and what a sub-request is (`dataclasses.replace(request, passcode=2)`).
    """

    name: str
    arguments: tuple[str, ...]
    request: type[Any]
    oneway: bool
    args_type: type[Any]
    result_type: type[Any] | None

    def bind(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The request for a call with these arguments; `InvalidArgumentTypeError` when they do not fit."""
        try:
            return self.request(*arguments, **named)
        except TypeError as error:
            takes = ", ".join(self.arguments) or "nothing"
            raise InvalidArgumentTypeError(f"{self.name} takes ({takes}): {error}", place=self.name) from None

    def values(self, request: Any) -> dict[str, Any]:
        """The arguments of `request` by their names; refuses what is not a request of this endpoint."""
        if not isinstance(request, self.request):
            raise InvalidArgumentTypeError(
                f"a request for {self.name} is a {type(request).__name__}; it must be what the strategy got, or made "
                f"from it by dataclasses.replace",
                place=self.name,
            )
        return {name: getattr(request, name) for name in self.arguments}


@dataclass(frozen=True)
class Reply:
    """What a live server answered: a value, or the exception it declared (or `TApplicationException`)."""

    value: Any = None
    error: Exception | None = None


class Wire(Protocol):
    """Calls and answers as bytes, by one Thrift library and in one protocol."""

    def encode(self, endpoint: Endpoint, values: Mapping[str, Any], sequence: int) -> bytes:
        """The bytes of one call."""

    def decode(self, endpoint: Endpoint, message: bytes, sequence: int) -> Reply:
        """The answer in one message, which `message_end` has walked over; any exception means that it is none."""


@dataclass(frozen=True)
class Service:
    """A service: its name, its endpoints by name, and the library that speaks it."""

    name: str
    library: str
    endpoints: Mapping[str, Endpoint] = field(repr=False)

    def wire(self, protocol: str) -> Wire:
        """The wire of this service's library for `protocol`, "binary" or "compact"."""
        if self.library == "thriftpy2":
            from shardway.thrift.wire_thriftpy2 import Thriftpy2Wire

            return Thriftpy2Wire(protocol)
        from shardway.thrift.wire_apache import ApacheWire

        return ApacheWire(protocol)


def describe(service: Any) -> Service:
    """The `Service` for what a Thrift library made of a service.

    Args:
        service: for Apache Thrift the generated module of the service, or its `Client` or `Iface` class; for
            thriftpy2 the service class of a loaded `.thrift` file.

    Raises:
        InvalidArgumentTypeError: it is neither.
    """
    if hasattr(service, "thrift_services"):
        return _describe_thriftpy2(service)
    client = _apache_client(service)
    if client is not None:
        return _describe_apache(client)
    raise InvalidArgumentTypeError(
        f"service is {service!r}; it must be the generated module of an Apache Thrift service (or its Client class), "
        "or a service class of thriftpy2",
        place="service",
    )


def _describe_thriftpy2(service: Any) -> Service:
    endpoints = {}
    for name in service.thrift_services:
        args_type = getattr(service, f"{name}_args")
        result_type = getattr(service, f"{name}_result")
        defaults = {key: value for key, value in args_type.default_spec if value is not None}
        arguments = [spec[1] for spec in args_type.thrift_spec.values()]  # in the order of the .thrift file
        endpoints[name] = _endpoint(name, arguments, defaults, result_type.oneway, args_type, result_type)
    return Service(service.__name__, "thriftpy2", endpoints)


def _apache_client(service: Any) -> type[Any] | None:
    """The generated `Client` class that `service` is, or leads to; None when it is nothing of the kind."""
    module = service if isinstance(service, ModuleType) else sys.modules.get(getattr(service, "__module__", ""))
    client = getattr(module, "Client", None)
    if not inspect.isclass(client) or not hasattr(module, "Iface"):
        return None
    if service is module or service is client or service is getattr(module, "Iface", None):
        return client
    return None


def _describe_apache(client: type[Any]) -> Service:
    endpoints: dict[str, Endpoint] = {}
    for owner in client.__mro__:  # a service that extends another finds the inherited methods in that one's module
        module = sys.modules[owner.__module__]
        for attribute in vars(owner):
            name = attribute.removeprefix("send_")
            if name == attribute or name in endpoints or not hasattr(module, f"{name}_args"):
                continue
            args_type = getattr(module, f"{name}_args")
            # Its method has the arguments in the order of the .thrift file, `thrift_spec` in that of their numbers.
            arguments = list(inspect.signature(getattr(client, name)).parameters)[1:]
            defaults = {spec[2]: spec[4] for spec in args_type.thrift_spec if spec and spec[4] is not None}
            oneway = not hasattr(client, f"recv_{name}")
            result_type = None if oneway else getattr(module, f"{name}_result")
            endpoints[name] = _endpoint(name, arguments, defaults, oneway, args_type, result_type)
    return Service(client.__module__.rpartition(".")[2], "apache", endpoints)


def _endpoint(
    name: str,
    arguments: list[str],
    defaults: Mapping[str, Any],
    oneway: bool,
    args_type: type[Any],
    result_type: type[Any] | None,
) -> Endpoint:
    """Put an endpoint together; last arguments that the `.thrift` file gives a default may be left out of a call."""
    members: list[tuple[str, Any, Any]] = []
    optional = True
    for argument in reversed(arguments):
        optional = optional and argument in defaults
        # A default that can change is shared by all calls, as in the libraries themselves; nothing here changes it.
        make = partial(lambda value: value, defaults.get(argument))
        members.insert(0, (argument, Any, field(default_factory=make) if optional else field()))
    request = make_dataclass(name, members, frozen=True)
    request.__doc__ = f"The arguments of one call of {name}: {', '.join(arguments) or 'none'}."
    return Endpoint(name, tuple(arguments), request, oneway, args_type, result_type)
