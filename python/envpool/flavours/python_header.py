"""The header of a recording of environments written in Python, and what makes them again."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from envpool.errors import ArgumentError
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.flavours.recording_header import versions
from envpool.spec.options import About, options_about
from envpool.spec.plain import to_plain


def python_header(
    source: Any, task_id: str | None, config: Any, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The header of environments written in Python, as far as it is known before one is made.

    Args:
        source: What makes them; see :func:`envpool.make_python`.
        task_id: What the task is called, if it was registered.
        config: The values of all options.
        given: The options that the caller gave.

    Raises:
        ArgumentError: An option cannot be written down.
    """
    name, found = _source_header(source, task_id)
    options = _options_header(config, given)
    return {"task": name, "versions": versions(), "source": found, "options": options}


def _source_header(source: Any, task_id: str | None) -> tuple[str, dict[str, str]]:
    """The task's name, and where environments come from, if that has a name."""
    found: dict[str, str] = {}
    name = getattr(source, "__qualname__", type(source).__name__)
    if task_id is not None and not isinstance(source, str):
        found["registered"] = name = task_id
    elif isinstance(source, str):
        found["gymnasium"] = name = source
    elif isinstance(source, type) and "<locals>" not in source.__qualname__:
        found["class"] = f"{source.__module__}:{source.__qualname__}"
    return name, found


def _options_header(config: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: to_plain(getattr(config, name)) for name in options_about(About.COURSE)}
    # If it was not given, Gymnasium's registry says it.
    if "max_episode_steps" in given:
        options["max_episode_steps"] = config.max_episode_steps
    try:
        options["env_kwargs"] = to_plain(config.env_kwargs)
        json.dumps(options["env_kwargs"])
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(
            f"env_kwargs cannot be kept by a recording ({error}): give the source as a function "
            "that needs no env_kwargs"
        ) from None
    return options


def spec_header(spec: PythonEnvSpec, reward_dtype: str) -> dict[str, Any]:
    """The arrays that are recorded.

    Args:
        spec: The pool's.
        reward_dtype: The type of its rewards.

    Raises:
        ArgumentError: Observations or actions have parts that are no arrays.
    """
    spec.spaces.require_arrays("a recording", "leave record out")
    return {
        "reward_dtype": reward_dtype,
        "max_num_players": spec.spaces.most_players,
        "action": [
            {name: field[name] for name in ("dtype", "shape", "per_player")}
            for field in spec.spaces.action_fields
        ],
    }


def find_source(found: Mapping[str, str], python_tasks: Mapping[str, Any]) -> Any:
    """Finds what makes the environments, without importing or calling anything.

    Args:
        found: What :func:`python_header` says of it.
        python_tasks: Those that are registered.

    Returns:
        What makes them; None if it is not known.
    """
    if "registered" in found:
        task = python_tasks.get(found["registered"])
        return None if task is None else task.source
    if "gymnasium" in found:
        module = found["gymnasium"].rpartition(":")[0]
        return found["gymnasium"] if not module or module in sys.modules else None
    return _find_class(found["class"]) if "class" in found else None


def _find_class(name: str) -> Any:
    """A class of environments in a module that was imported."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    is_environment = isinstance(found, type) and all(
        callable(getattr(found, method, None)) for method in ("reset", "step")
    )
    return found if is_environment else None
