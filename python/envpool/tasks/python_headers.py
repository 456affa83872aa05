"""What recordings say of pools of environments written in Python, and what makes these again."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from envpool.errors import ArgumentError, shown
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.workers.plain import from_plain, to_plain

# Options that say what happens. Others say how it is run, or what the pool shows.
_KEPT = (
    "num_envs",
    "batch_size",
    "seed",
    "env_seed",
    "autoreset_mode",
    "record_episode_statistics",
    "num_workers",
    "start_method",
    "step_timeout",
)


def source_header(source: Any, task_id: str | None) -> dict[str, Any]:
    """Where environments come from, by a name if they have one.

    Args:
        source: What makes them; see :func:`envpool.make_python`.
        task_id: What the task is called, if it was registered.
    """
    found: dict[str, str] = {}
    name = getattr(source, "__qualname__", type(source).__name__)
    if task_id is not None and not isinstance(source, str):
        found["registered"] = name = task_id
    elif isinstance(source, str):
        found["gymnasium"] = name = source
    elif isinstance(source, type) and "<locals>" not in source.__qualname__:
        found["class"] = f"{source.__module__}:{source.__qualname__}"
    return {"task": name, "source": found}


def options_header(config: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options with which they are made and run.

    Args:
        config: The values of all options.
        given: The options that the caller gave.

    Raises:
        ArgumentError: One cannot be written down.
    """
    options = {name: to_plain(getattr(config, name)) for name in _KEPT}
    # Otherwise Gymnasium's registry says it.
    if "max_episode_steps" in given:
        options["max_episode_steps"] = config.max_episode_steps
    try:
        options["env_kwargs"] = to_plain(config.env_kwargs)
        json.dumps(options["env_kwargs"])
    except TypeError as error:
        raise ArgumentError(
            f"env_kwargs has {error}, which a recording cannot keep: give the source as a function "
            "that needs no env_kwargs"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"env_kwargs cannot be written down: {error}") from None
    return {"options": options}


def spec_header(spec: PythonEnvSpec) -> dict[str, Any]:
    """The arrays that are recorded.

    Raises:
        ArgumentError: Observations or actions have parts that are no arrays.
    """
    spec.require_arrays("a recording", "leave record out")
    return {
        "reward_dtype": "float32",
        "max_num_players": spec.most_players,
        "action": [
            {
                "dtype": field["dtype"],
                "shape": field["shape"],
                "per_player": field["per_player"],
            }
            for field in spec.action_fields
        ],
    }


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, as :func:`envpool.make_python` takes them.

    Raises:
        ArgumentError: There are some that no pool has written.
    """
    for name in options:
        if name not in (*_KEPT, "max_episode_steps", "env_kwargs"):
            raise ArgumentError(f"there is no option {shown(name)}")
    return {name: from_plain(value) for name, value in options.items()}


def find_source(found: Mapping[str, str], python_tasks: Mapping[str, Any]) -> Any:
    """What makes the environments, if it is known here: nothing is imported, nor called.

    Args:
        found: What :func:`source_header` says of it.
        python_tasks: Those that are registered.

    Returns:
        It; None if it is not known.
    """
    if "registered" in found:
        task = python_tasks.get(found["registered"])
        return None if task is None else task.source
    if "gymnasium" in found:
        module = found["gymnasium"].rpartition(":")[0]
        return found["gymnasium"] if not module or module in sys.modules else None
    if "class" in found:
        return _find_class(found["class"])
    return None


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
