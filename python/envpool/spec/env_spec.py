"""EnvSpec: everything about a task that is known without making its environments."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections import namedtuple
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError
from envpool.names import did_you_mean
from envpool.spec import seeding
from envpool.spec.autoreset import parse_mode
from envpool.spec.config import (
    COMMON_CONFIG,
    COMMON_DESCRIPTIONS,
    INT_MAX,
    MOST_ENVS,
    MOST_PIXELS,
    MOST_THREADS,
    OTHER_NAMES,
    RENDER_MODES,
)
from envpool.spec.spaces import (
    Field,
    NestedTuple,
    bounds,
    dm_spec,
    gymnasium_structure,
    is_uniform,
    nest,
)

if TYPE_CHECKING:
    from envpool._core import EnvType
    from envpool.render.drawing import Drawer


@dataclasses.dataclass(frozen=True)
class ArraySpec:
    """One array of a batch. A -1 in the shape stands for the players of an environment."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    minimum: Any
    maximum: Any
    is_discrete: bool = False


def _array_spec(field: Field) -> ArraySpec:
    low, high = bounds(field)
    shape = (-1, *field["shape"]) if field["per_player"] else field["shape"]
    uniform = is_uniform(low) and is_uniform(high)
    return ArraySpec(
        dtype=np.dtype(field["dtype"]),
        shape=shape,
        minimum=low.flat[0].item() if uniform else low,
        maximum=high.flat[0].item() if uniform else high,
        is_discrete=field["space"] == "discrete",
    )


def _scalar(name: str, dtype: str, low: float = -np.inf, high: float = np.inf) -> Field:
    per_player = name in {"players.env_id", "reward", "discount"}
    return Field(
        name=name,
        dtype=dtype,
        shape=(),
        low=[low],
        high=[high],
        space="box",
        per_player=per_player,
        only_steps=False,
        action_precision=False,
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


class EnvSpec:
    """A task's options, spaces and arrays.

    There is a subclass for each kind of environment, made by :func:`envpool.tasks.export.export`.

    Args:
        config: The values of all options, in the order of ``Config._fields``; see
            :meth:`gen_config`.

    Attributes:
        config: The options as a named tuple, batch_size resolved.
        reward_threshold: The mean return at which the task counts as solved, or None.
        observation_space: Gymnasium's space of one environment's observation.
        action_space: Gymnasium's space of one environment's action.
    """

    env_type: ClassVar[EnvType]
    Config: ClassVar[Any]
    defaults: ClassVar[dict[str, Any]]
    id: str | None = None
    drawing: ClassVar[str | None] = (
        None  # the module that has its drawer; see envpool.render.drawing
    )
    # Has Gymnasium's single environment Python's floats in its infos, instead of NumPy's?
    has_python_floats: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not hasattr(cls, "env_type"):
            return  # a base of a family's specs
        options = {name: entry["default"] for name, entry in cls.env_type.options.items()}
        cls.defaults = cls._with_other_options(COMMON_CONFIG | options)
        cls.Config = namedtuple("Config", list(cls.defaults))  # type: ignore[misc]

    def __init__(self, config: Iterable[Any]) -> None:
        options = self.own_names(self.Config(*config)._asdict())
        self.config = self._check(self.Config(**self._with_other_options(options)))
        self._described: dict[str, Any] = self.env_type.spec(self._options_of(0))

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """The options as a named tuple, with defaults for those that are not given.

        Raises:
            TypeError: There is no such option; the message names the nearest one. Or two names of
                an option have different values.
        """
        kwargs = cls.own_names(kwargs)
        for name in kwargs:
            if name not in cls.defaults:
                hint = did_you_mean(name, cls.defaults)
                raise TypeError(f"{cls.env_type.name} has no option {name!r}{hint}")
        return cls.Config(**cls._with_other_options(cls.defaults | kwargs))

    @classmethod
    def other_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options under further names that clients look for; families may override this.

        :meth:`own_names` must turn them back into the others.

        Args:
            options: The values of all options, by our names.
        """
        return {}

    @classmethod
    def _with_other_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        return options | cls.other_options(options)

    @classmethod
    def own_names(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The same options, by our names for those that Gymnasium calls otherwise.

        Args:
            kwargs: Values of options. A task's own option of a name comes before Gymnasium's.

        Raises:
            TypeError: Two names of an option have different values.
        """
        result = dict(kwargs)
        for other, name in OTHER_NAMES.items():
            if other not in result or other in cls.defaults:
                continue
            value = result.pop(other)
            if name in result and not np.array_equal(result[name], value):
                raise TypeError(
                    f"{other} is {value!r} and {name} is {result[name]!r}, "
                    "expected one of them: they are the same option"
                )
            result[name] = value
        return result

    @classmethod
    def describe_options(cls) -> dict[str, str]:
        """A line about each option."""
        own = {name: entry["description"] for name, entry in cls.env_type.options.items()}
        return COMMON_DESCRIPTIONS | own

    @classmethod
    def _check(cls, config: Any) -> Any:
        """Resolves batch_size and the seeds, and refuses what is wrong whatever the task."""

        def integer(name: str, least: int, most: int = INT_MAX) -> int:
            value = getattr(config, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"{name} is {value!r}, expected an integer")
            if not least <= value <= most:
                raise ArgumentError(f"{name} is {value}, expected {least} <= {name} <= {most}")
            return int(value)

        num_envs = integer("num_envs", 1, MOST_ENVS)
        cls._check_render_mode(config.render_mode)
        if not isinstance(config.record_episode_statistics, bool | np.bool_):
            raise TypeError(
                f"record_episode_statistics is {config.record_episode_statistics!r}, "
                "expected a bool"
            )
        threshold = config.reward_threshold
        if threshold is not None and not isinstance(threshold, int | float):
            raise TypeError(f"reward_threshold is {threshold!r}, expected a number or None")
        seed, env_seed = config.seed, config.env_seed
        if not seeding.is_sequence(env_seed):
            raise TypeError(f"env_seed is {env_seed!r}, expected a sequence of integers")
        if seeding.is_sequence(seed) or len(env_seed) > 0:
            given = seed if seeding.is_sequence(seed) else env_seed
            seed, env_seed = 0, seeding.seeds_for(given, range(num_envs), num_envs)
        return config._replace(
            num_envs=num_envs,
            batch_size=integer("batch_size", 0, num_envs) or num_envs,
            num_threads=integer("num_threads", 0, MOST_THREADS),
            thread_affinity_offset=integer("thread_affinity_offset", -1),
            max_num_players=integer("max_num_players", 1),
            max_episode_steps=integer("max_episode_steps", 1),
            seed=seeding.check_seed(seed),
            env_seed=env_seed,
            autoreset_mode=parse_mode(config.autoreset_mode).value,
            render_env_id=integer("render_env_id", 0, num_envs - 1),
            render_width=integer("render_width", 0, MOST_PIXELS),
            render_height=integer("render_height", 0, MOST_PIXELS),
            render_camera_id=integer("render_camera_id", -1),
        )

    @classmethod
    def _check_render_mode(cls, mode: Any) -> None:
        if mode is None:
            return
        if not isinstance(mode, str) or mode not in RENDER_MODES:
            expected = ", ".join(map(repr, RENDER_MODES))
            raise ArgumentError(f"render_mode is {mode!r}, expected None, {expected}")
        if not cls.render_modes():
            raise ArgumentError(
                f"render_mode is {mode!r}, expected None: {cls.env_type.name} cannot be rendered"
            )

    @classmethod
    def render_modes(cls) -> list[str]:
        """The modes in which environments of this kind can be rendered."""
        return list(RENDER_MODES) if cls.env_type.can_render else []

    @classmethod
    def drawer(cls) -> type[Drawer] | None:
        """What draws environments of this kind; None if they draw themselves."""
        if cls.drawing is None:
            return None
        drawers: dict[str, type[Drawer]] = importlib.import_module(cls.drawing).DRAWERS
        return drawers.get(cls.env_type.name)

    @property
    def frame_size(self) -> tuple[int, int]:
        """Width and height of a rendered picture."""
        width, height = self.env_type.frame_size(self._options_of(0))
        return self.config.render_width or width, self.config.render_height or height

    @property
    def render_metadata(self) -> dict[str, Any]:
        """What Gymnasium's wrappers want to know of rendering."""
        metadata: dict[str, Any] = {"render_modes": self.render_modes()}
        fps = self.env_type.render_fps(self._options_of(0))
        if fps is not None:
            metadata["render_fps"] = round(fps)
        return metadata

    def require_reset_info(self) -> None:
        """Refuses ``gym_reset_return_info=False``, which only a pool for an old gym can do.

        Raises:
            ValueError: It is False.
        """
        if not self.config.gym_reset_return_info:
            raise ArgumentError("gym_reset_return_info is False, expected True")

    def seeds(self) -> list[int]:
        """The seed of each environment."""
        num_envs = self.config.num_envs
        seed = self.config.env_seed or self.config.seed
        return seeding.seeds_for(seed, range(num_envs), num_envs)

    def options(self) -> list[dict[str, Any]]:
        """The environments' own options: one dict for all of them, or one each."""
        count = 1
        for name, entry in self.env_type.options.items():
            if self._is_per_env(name, entry["default"]):
                count = self.config.num_envs
        return [self._options_of(env) for env in range(count)]

    def _options_of(self, env: int) -> dict[str, Any]:
        return self.to_native({name: self._option_of(name, env) for name in self.env_type.options})

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """An environment's options in the types that native code has; families may override this.

        Args:
            options: Values by name, as the caller gave them.
        """
        return options

    def _is_per_env(self, name: str, default: Any) -> bool:
        value = getattr(self.config, name)
        if not _is_list(value):
            return False
        # A list of lists, for an option that is a list itself.
        if isinstance(default, list) and not any(map(_is_list, value)):
            return False
        if len(value) != self.config.num_envs:
            raise ArgumentError(
                f"{name} has {len(value)} values, expected one, "
                f"or one for each of num_envs = {self.config.num_envs} environments"
            )
        return True

    def _option_of(self, name: str, env: int) -> Any:
        value = getattr(self.config, name)
        return value[env] if self._is_per_env(name, self.defaults[name]) else value

    @property
    def reward_threshold(self) -> float | None:
        """The mean return at which the task counts as solved."""
        threshold: float | None = self.config.reward_threshold
        return threshold

    @property
    def most_players(self) -> int:
        """How many players an environment can have."""
        most: int = self._described["max_num_players"]
        return most

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """Gymnasium's space of one environment's observation."""
        space: spaces.Space[Any] = self.space_of("observation", spaces)
        return space

    @functools.cached_property
    def action_space(self) -> spaces.Space[Any]:
        """Gymnasium's space of one environment's action."""
        space: spaces.Space[Any] = self.space_of("action", spaces)
        return space

    def space_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        structure = self._described[f"{what}_structure"]
        return gymnasium_structure(structure, self._described[what], spaces)

    @functools.cached_property
    def strict_action_space(self) -> spaces.Space[Any]:
        """The space of one environment's action as Gymnasium's own environment has it."""
        fields = [
            field | {"dtype": "float32"} if field["action_precision"] else field
            for field in self._described["action"]
        ]
        space: spaces.Space[Any] = gymnasium_structure(self._described["action_structure"], fields)
        return space

    @property
    def strict_observation_space(self) -> spaces.Space[Any]:
        """The space of one environment's observation as Gymnasium's own environment has it."""
        return self.observation_space

    @property
    def step_infos(self) -> list[str]:
        """The infos that Gymnasium's environment has at steps but not at resets."""
        return [field["name"] for field in self._described["info"] if field["only_steps"]]

    @property
    def terminated_infos(self) -> list[str]:
        """The infos that Gymnasium's environment has only at steps that terminate."""
        names: list[str] = self._described["only_terminated"]
        return names

    @property
    def action_precision_infos(self) -> list[str]:
        """The float64 infos that Gymnasium's environment has in the actions' precision."""
        return [field["name"] for field in self._described["info"] if field["action_precision"]]

    @property
    def integer_reset_infos(self) -> list[str]:
        """The float infos that Gymnasium's environment has as Python integers at resets."""
        names: list[str] = self._described["integer_at_reset"]
        return names

    @property
    def gymnasium_observation_space(self) -> spaces.Space[Any]:
        """The same as ``observation_space``."""
        return self.observation_space

    @property
    def gymnasium_action_space(self) -> spaces.Space[Any]:
        """The same as ``action_space``."""
        return self.action_space

    @functools.cached_property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a batch has, by EnvPool's names for them, without the batch axis."""
        observation = self._described["observation"]
        names = [
            "obs" if field["name"] == "obs" else f"obs:{field['name']}" for field in observation
        ]
        fields = {
            "info:env_id": _scalar("env_id", "int32"),
            "info:players.env_id": _scalar("players.env_id", "int32"),
            "elapsed_step": _scalar("elapsed_step", "int32"),
            "done": _scalar("done", "bool"),
            "reward": _scalar("reward", "float32"),
            "discount": _scalar("discount", "float32", 0.0, 1.0),
            "step_type": _scalar("step_type", "int32"),
            "trunc": _scalar("trunc", "bool"),
            **dict(zip(names, observation, strict=True)),
            **{f"info:{field['name']}": field for field in self._described["info"]},
        }
        return {name: _array_spec(field) for name, field in fields.items()}

    @functools.cached_property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a step takes, by EnvPool's names, without the batch axis.

        An action's shape begins with -1, as in EnvPool, where it stands for the players.
        """
        arrays = {
            "env_id": _array_spec(_scalar("env_id", "int32")),
            "players.env_id": _array_spec(_scalar("players.env_id", "int32")),
        }
        for field in self._described["action"]:
            with_players = field.copy()
            with_players["per_player"] = True
            arrays[field["name"]] = _array_spec(with_players)
        return arrays

    @functools.cached_property
    def _dm_template(self) -> dict[str, Any]:
        """dm_env's specs of everything in an observation, as a nested dict."""
        common = [_scalar("env_id", "int32"), _scalar("players.env_id", "int32")]
        fields = [*common, *self._described["observation"], *self._described["info"]]
        template = nest({field["name"]: dm_spec(field) for field in fields})
        if self.config.record_episode_statistics:
            template["episode"] = {
                "r": dm_spec(_scalar("r", "float64")),
                "l": dm_spec(_scalar("l", "int64")),
                "done": dm_spec(_scalar("done", "bool")),
            }
        return template

    @functools.cached_property
    def dm_state(self) -> NestedTuple:
        """What makes dm_env's observations, named tuples ``State``, of nested dicts."""
        return NestedTuple("State", self._dm_template)

    def observation_spec(self) -> Any:
        """dm_env's specs of one environment's observation, as the named tuple ``State``."""
        return self.dm_state.build(self._dm_template)

    def action_spec(self) -> Any:
        """dm_env's spec of one environment's action, or a nested dict of several."""
        fields = self._described["action"]
        if self._described["action_structure"] == "single":
            return dm_spec(fields[0])
        return nest({field["name"]: dm_spec(field) for field in fields})

    @property
    def action_names(self) -> list[str]:
        """The names of the action's arrays."""
        return [field["name"] for field in self._described["action"]]

    @property
    def info_keys(self) -> dict[str, str]:
        """The dotted keys of ``info``, with dtype and shape of one row."""
        keys = {"env_id": "int32 ()", "players.env_id": "int32 ()"}
        for field in self._described["info"]:
            keys[field["name"]] = f"{field['dtype']} {field['shape']}"
        keys["elapsed_step"] = "int32 ()"
        if self.config.record_episode_statistics:
            keys |= {"episode.r": "float64 ()", "episode.l": "int64 ()", "_episode": "bool ()"}
        return keys

    @property
    def _config_keys(self) -> list[str]:
        return list(self.defaults)

    @property
    def _config_values(self) -> tuple[Any, ...]:
        return tuple(self.config)

    @property
    def _default_config_values(self) -> tuple[Any, ...]:
        return tuple(self.defaults.values())

    @property
    def _state_keys(self) -> list[str]:
        return list(self.state_array_spec)

    @property
    def _action_keys(self) -> list[str]:
        return list(self.action_array_spec)

    @property
    def _state_spec(self) -> tuple[ArraySpec, ...]:
        return tuple(self.state_array_spec.values())

    @property
    def _action_spec(self) -> tuple[ArraySpec, ...]:
        return tuple(self.action_array_spec.values())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.config),), {"id": self.id}

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.config._asdict().items())
        return f"{type(self).__name__}({arguments})"
