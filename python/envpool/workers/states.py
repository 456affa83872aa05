"""States of environments written in Python, as bytes: snapshots.

An environment has a state if it has these methods, or one of its wrappers::

    def get_state(self) -> Any: ...          # whatever its next steps depend on, to be pickled
    def set_state(self, state: Any) -> None: ...

Its ``np_random``, and what the wrappers of ``gymnasium.make`` count, is saved beside that.
Environments without these methods can be pickled as a whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium

from envpool.errors import ArgumentError
from envpool.workers.letters import Letters

_HEADER = b"envpool state of a Python environment, 1\n"
# Of gymnasium.make's wrappers: how many steps there were, and whether there was a reset.
_OF_WRAPPERS = ("_elapsed_steps", "_has_reset")


class State(NamedTuple):
    """A state.

    Attributes:
        kind: The kind of environment; see :func:`kind_of`.
        elapsed_step: Steps of the episode, as the pool counts them.
        episode_return: Rewards of the episode.
        is_over: Will the next step begin another one?
        content: The environment's own, pickled.
    """

    kind: str
    elapsed_step: int
    episode_return: float
    is_over: bool
    content: bytes

    def to_bytes(self) -> bytes:
        """As callers get it."""
        return _HEADER + pickle.dumps(tuple(self))

    @classmethod
    def from_bytes(cls, given: Any, name: str) -> State:
        """Of what a caller gives.

        Raises:
            TypeError: It is no bytes.
            ArgumentError: It is no state, or damaged.
        """
        if not isinstance(given, bytes | bytearray | memoryview):
            raise TypeError(f"{name} is a {type(given).__name__}, expected bytes")
        given = bytes(given)
        if not given.startswith(_HEADER):
            raise ArgumentError(f"{name} is no state of an environment written in Python")
        try:
            return cls(*pickle.loads(given[len(_HEADER) :]))
        except Exception as error:
            raise ArgumentError(f"{name} is damaged: {error}") from error


def kind_of(environment: Any) -> str:
    """What tells environments that can exchange states from others."""
    kind = type(getattr(environment, "unwrapped", environment))
    return f"{kind.__module__}.{kind.__qualname__}"


def save(environment: Any, letters: Letters, as_whole: bool) -> bytes:
    """What :func:`restore` makes an environment of that does the same from now on.

    Args:
        environment: The environment.
        letters: What pickles.
        as_whole: Pickle the environment itself.

    Raises:
        RuntimeError: It does not have the methods.
    """
    if as_whole:
        return letters.write(environment)
    generator = getattr(getattr(environment, "unwrapped", environment), "_np_random", None)
    return letters.write(
        (
            _method(environment, "get_state")(),
            None if generator is None else generator.bit_generator.state,
            [_counts_of(wrapper) for wrapper in _wrappers(environment)],
        )
    )


def restore(environment: Any, content: bytes, letters: Letters, as_whole: bool) -> Any:
    """The environment with a state that was saved; another one, if that was the whole of it."""
    if as_whole:
        return letters.read(content)
    state, generator, counts = letters.read(content)
    if generator is not None:
        environment.unwrapped.np_random.bit_generator.state = generator
    _method(environment, "set_state")(state)
    for wrapper, its_counts in zip(_wrappers(environment), counts, strict=True):
        vars(wrapper).update(its_counts)
    return environment


def _method(environment: Any, name: str) -> Any:
    try:
        if hasattr(environment, "get_wrapper_attr"):
            return environment.get_wrapper_attr(name)
        return getattr(environment, name)
    except AttributeError:
        raise RuntimeError(
            f"{kind_of(environment)} has no {name}(): it needs get_state() and set_state(), or "
            "snapshots='pickle', which pickles environments as a whole"
        ) from None


def _wrappers(environment: Any) -> Iterator[Any]:
    while isinstance(environment, gymnasium.Wrapper):
        yield environment
        environment = environment.env


def _counts_of(wrapper: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(wrapper).items() if name in _OF_WRAPPERS}
