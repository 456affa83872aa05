"""Properties that are computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):  # noqa: N801 - used like property
    """``functools.cached_property`` without its lock, as it is from Python 3.12 on.

    In 3.11 all objects of a class share one, which a child of a fork would wait for if another
    thread held it. Without it, threads that come at the same time may compute the value twice, and
    all get the one that was first.

    Args:
        compute: Returns an object's value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazy_property[T] | T:
        if instance is None:
            return self
        value: T = vars(instance).setdefault(self._name, self._compute(instance))
        return value
