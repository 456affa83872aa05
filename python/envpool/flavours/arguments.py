"""Arguments of pools' callers, checked and turned into what native pools take."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.schedules import Episode
from envpool.spec.env_spec import EnvSpec
from envpool.spec.values import SEED_BITS, check_seed, require_bits, seeds_for

IDS = ("env_id", "players.env_id")  # beside the parts of an action


def one_of(env_id: Any, env_ids: Any) -> Any:
    """The environments' ids, which callers may name ``env_id`` or ``env_ids``.

    Raises:
        ArgumentError: Both are given.
    """
    if env_id is not None and env_ids is not None:
        raise ArgumentError(
            "env_id and env_ids are given, expected one of them: they are the same argument"
        )
    return env_ids if env_id is None else env_id


def _flat(action: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of a nested dict with dotted keys."""
    for key, value in action.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def take_fields(
    parts: Sequence[Any], action: Mapping[Any, Any], env_id: Any = None
) -> tuple[list[Any], Any, Any]:
    """Takes the parts of an action and ids out of a dict.

    Args:
        parts: The keys of the action's parts.
        action: Has an entry for each of them, and perhaps ``env_id`` and ``players.env_id``, which
            says whose the players are that act.
        env_id: The ids, if they are given elsewhere.

    Returns:
        The parts, the ids, and those of the players; None for what is not there.

    Raises:
        ValueError: The dict has an unknown key, or lacks one.
    """
    ids = {key: action[key] for key in IDS if key in action and key not in parts}
    known = [*parts, *IDS]
    for key in action:
        if key not in known:
            raise ArgumentError(
                f"action has the unknown key {shown(key)}{did_you_mean(key, known)}; "
                f"known are {', '.join(map(str, known))}"
            )
    for key in parts:
        if key not in action:
            raise ArgumentError(f"action lacks the key {shown(key)}")
    found = ids.get("env_id") if env_id is None else env_id
    return [action[key] for key in parts], found, ids.get("players.env_id")


def split_fields(spec: EnvSpec, action: dict[str, Any], env_id: Any = None) -> tuple[Any, Any, Any]:
    """The array or arrays of a native action in a nested dict, and ids; see :func:`take_fields`."""
    arrays, env_id, owners = take_fields(spec.spaces.action_names, dict(_flat(action)), env_id)
    return (arrays[0] if len(arrays) == 1 else tuple(arrays)), env_id, owners


def check_reset_options(spec: EnvSpec | None, options: Any) -> dict[str, Any]:
    """A copy of the options of a reset, which may include a reset_mask.

    Args:
        spec: What the pool is made of; None: it is of environments written in Python, which know
            themselves what options they have.
        options: What the caller gave. An entry ``b`` of a dict ``a`` in it is ``a_b`` here.

    Raises:
        TypeError: They are no dict.
        ValueError: One of them is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options is {shown(options)}, expected a dict")
    if spec is None:
        return dict(options)
    known = [*spec.known.reset, "reset_mask"]
    flat: dict[Any, Any] = {}
    for name, value in spec.known.reset_values(dict(options)).items():
        is_prefix = any(key.startswith(f"{name}_") for key in known)
        has_entries = is_prefix and isinstance(value, dict) and value
        flat |= {f"{name}_{key}": value[key] for key in value} if has_entries else {name: value}
    for name in flat:
        if name not in known:
            raise ValueError(
                f"options has the unknown key {shown(name)}{did_you_mean(name, known)}; "
                f"known are {', '.join(known)}"
            )
    return flat


def read_episode(
    spec: EnvSpec | None, env_id: int, episode: Episode
) -> tuple[int | None, dict[str, Any] | None, bytes | None]:
    """What the pool takes for an episode of an environment.

    Args:
        spec: What the pool is made of; None: it is of environments written in Python.
        env_id: The environment.
        episode: What the caller gave.

    Raises:
        TypeError, ValueError: A part of it is not valid.
    """
    seed, options, state = episode.seed, episode.options, episode.state
    if seed is not None:
        bits = SEED_BITS if spec is None else spec.known.seed_bits
        if type(seed) is not int or not 0 <= seed < 1 << bits:  # most are
            seed = check_seed(seed)
            require_bits([seed], [env_id], bits)
    if options is not None:
        options = check_reset_options(spec, options)
        if spec is not None and "reset_mask" in options:
            raise ArgumentError("options has reset_mask, which is for reset: give env_id")
    if state is None:
        return seed, options, None
    if spec is None:
        raise ArgumentError(
            "state is given, expected None: environments written in Python cannot say what they "
            "observe in a state; give them options, or call set_state()"
        )
    if not isinstance(state, bytes | bytearray | memoryview):
        raise TypeError(f"state is {shown(state)}, expected bytes from get_state()")
    return seed, options, bytes(state)


def check_mask(mask: Any, num_envs: int) -> NDArray[np.bool_]:
    """A reset_mask, a bool for each environment, refused in Gymnasium's words.

    Args:
        mask: What the caller gave.
        num_envs: How many environments the pool has.

    Raises:
        TypeError: It is no array of bools.
        ValueError: It has a wrong shape, or selects nothing.
    """
    given: NDArray[Any] = np.asarray(mask)
    what = "`options['reset_mask']` must"
    if given.shape != (num_envs,):
        raise ValueError(f"{what} have shape `({num_envs},)`, got {given.shape}")
    if given.dtype != np.bool_:
        raise TypeError(f"{what} have `dtype=np.bool_`, got {given.dtype}")
    if not given.any():
        raise ValueError(
            f"{what} contain a boolean array with at least one True value, got reset_mask={given}"
        )
    return given


def episodes_for(
    ids: Sequence[int], num_envs: int, seed: Any, options: Any, state: Any
) -> list[Episode]:
    """What the next episodes of environments begin with.

    Args:
        ids: The environments.
        num_envs: How many the pool has.
        seed: As ``reset`` takes it.
        options: As ``reset`` takes them, or a list with one for each of the environments.
        state: One, or a list with one for each of the environments.

    Raises:
        TypeError, ValueError: An argument is not valid.
    """
    if state is not None and (seed is not None or options is not None):
        raise ArgumentError("state is given with seed or options, expected it alone: it has both")
    seeds = [None] * len(ids) if seed is None else seeds_for(seed, ids, num_envs, or_none=True)
    each = [
        one_each(name, value, len(ids)) for name, value in (("options", options), ("state", state))
    ]
    return [Episode(*parts) for parts in zip(seeds, *each, strict=True)]


def one_each(name: str, value: Any, count: int) -> list[Any]:
    """A value for each environment, of a list or tuple with as many, or of one for all.

    Raises:
        ValueError: There is a wrong number of them.
    """
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(
            f"{name} has {len(value)} entries, expected {count}, one per environment"
        )
    return list(value)


def check_states(states: Any) -> list[Any]:
    """The states that ``set_state`` takes, as a list.

    Args:
        states: What the caller gave.

    Raises:
        TypeError: It is a single state, or no iterable.
    """
    if isinstance(states, bytes | bytearray | memoryview) or not isinstance(states, Iterable):
        raise TypeError(f"states is a {type(states).__name__}, expected a list of bytes")
    return list(states)


def check_timeout(timeout: float) -> float:
    """The seconds that a call may wait, as a float.

    Raises:
        TypeError: It is no number.
        ValueError: It is negative or NaN.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, numbers.Real):
        raise TypeError(f"timeout is {shown(timeout)}, expected a number of seconds")
    if not timeout >= 0.0:
        raise ValueError(f"timeout is {shown(timeout)}, expected a number of seconds >= 0")
    return float(min(timeout, sys.float_info.max))  # some numbers are larger than floats
