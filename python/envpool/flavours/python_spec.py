"""PythonEnvSpec: what EnvSpec is for native environments, for those written in Python."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import gymnasium
from gymnasium import spaces

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.lazy import lazy_property
from envpool.workers.spaces import SpaceLeaves, describe

# How the environments are run.
_OPTIONS: dict[str, tuple[Any, str]] = {
    "num_workers": (None, "processes that run them; None: min(num_envs, cores), 0: this one"),
    "worker_threads": (1, "environments of a process that run at the same time"),
    "start_method": ("spawn", "how processes start: spawn, forkserver or fork"),
    "step_timeout": (None, "seconds after which a step or reset counts as hanging; None: never"),
    "on_worker_death": ("restart", "what a reset does about a process that ended: restart, raise"),
    "snapshots": ("own", "states of: their own get_state() and set_state(), or whole: pickle"),
    "env_kwargs": ({}, "keyword arguments of Gymnasium's make; or one dict per environment"),
}
_IN_ENV_KWARGS = "give env_kwargs what the environment's own constructor takes"
# Options of native pools that mean nothing here, with what to do instead.
_ONLY_NATIVE = {
    "num_threads": "num_workers and worker_threads say who runs the environments",
    "thread_affinity_offset": "processes have the cores that this one has when it starts them",
    "thread_pool": "num_workers and worker_threads say who runs the environments",
    "render_width": _IN_ENV_KWARGS,
    "render_height": _IN_ENV_KWARGS,
    "render_camera_id": _IN_ENV_KWARGS,
}


@dataclasses.dataclass(frozen=True)
class Interface:
    """What is known of environments once one of them was made.

    Attributes:
        name: What messages call them.
        observation_space: Their observation space.
        action_space: Their action space.
        metadata: Environment 0's.
        num_agents: How many there can be; None: they are environments of one player.
    """

    name: str
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    metadata: dict[str, Any]
    num_agents: int | None = None


class PythonEnvType:
    """What specs ask of native environments, for those written in Python.

    Args:
        interface: What is known of them. If None, only their options can be asked for.
    """

    can_render = True  # nobody knows before it is tried
    reset_options: ClassVar[dict[str, Any]] = {}  # they say themselves what they take

    def __init__(self, interface: Interface | None = None) -> None:
        self.name = interface.name if interface else "a Python environment"
        self._interface = interface

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        """The options that native environments don't have."""
        return {
            name: {
                "default": default,
                "description": description,
                "limits": (-math.inf, math.inf),
                "choices": [],
                "expected": "",
            }
            for name, (default, description) in _OPTIONS.items()
        }

    def spec(self, options: dict[str, Any]) -> dict[str, Any]:
        """The arrays of observations and actions, as the native core describes them."""
        interface = self._interface
        if interface is None:
            return {"info": [], "max_num_players": 1}
        observation = SpaceLeaves(interface.observation_space, "obs")
        action = SpaceLeaves(interface.action_space, "action")
        return describe(observation, action, interface.num_agents) | {
            "observation_structure": "single" if observation.is_leaf else "dict",
            "action_structure": "single" if action.is_leaf else "dict",
        }

    def frame_size(self, options: dict[str, Any]) -> tuple[int, int]:
        """What the environments themselves draw."""
        return 0, 0

    def render_fps(self, options: dict[str, Any]) -> float | None:
        """How many pictures show a second of theirs."""
        return self._interface.metadata.get("render_fps") if self._interface else None

    def memory(self, options: dict[str, Any]) -> int:
        """Nobody knows, so nothing is refused."""
        return 0


class PythonEnvSpec(EnvSpec):
    """The options, spaces and arrays of environments written in Python.

    Args:
        config: The values of all options; see :meth:`gen_config`.
        interface: What is known of the environments.
    """

    env_type = PythonEnvType()  # type: ignore[assignment]

    def __init__(self, config: Iterable[Any], interface: Interface) -> None:
        self.interface = interface
        self.env_type = PythonEnvType(interface)  # type: ignore[misc]
        super().__init__(config)

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """The options as a named tuple, with defaults for those that are not given.

        Raises:
            TypeError: There is no such option, or it means nothing here.
        """
        for name, value in cls.own_names(kwargs).items():
            if name in _ONLY_NATIVE and value != cls.defaults[name]:
                raise TypeError(
                    f"{name} is not an option of environments written in Python: "
                    f"{_ONLY_NATIVE[name]}"
                )
            if name not in cls.defaults:
                raise TypeError(
                    f"there is no option {shown(name)}{did_you_mean(name, cls.defaults)}; "
                    + _IN_ENV_KWARGS
                )
        return super().gen_config(**kwargs)

    @lazy_property
    def observation_space(self) -> spaces.Space[Any]:
        """The environments' own."""
        return self.interface.observation_space

    @lazy_property
    def action_space(self) -> spaces.Space[Any]:
        """The environments' own."""
        return self.interface.action_space

    def space_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces, or an old gym's, which knows no others than those
                of arrays; there Tuples become Dicts.

        Raises:
            ArgumentError: An old gym lacks a space.
        """
        if spaces is gymnasium.spaces:
            return getattr(self, f"{what}_space")
        self.require_arrays("an old gym")
        return super().space_of(what, spaces)

    def require_arrays(self, who: str, instead: str = "take env_type 'gymnasium'") -> None:
        """Refuses spaces with parts that are no arrays.

        Args:
            who: Who only takes arrays.
            instead: What to do then.

        Raises:
            ArgumentError: There are some; the message names one of them.
        """
        for what in ("observation", "action"):
            for leaf in SpaceLeaves(getattr(self, f"{what}_space"), what).objects:
                raise ArgumentError(
                    f"the {what} space of {self.interface.name} has a part {leaf.space}, which is "
                    f"not an array, and {who} has only arrays: {instead}"
                )

    @property
    def render_metadata(self) -> dict[str, Any]:
        """What Gymnasium's wrappers want to know of rendering."""
        return dict(self.interface.metadata)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.config), self.interface), {"id": self.id}
