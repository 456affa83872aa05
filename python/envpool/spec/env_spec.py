"""EnvSpec: everything about a task that is known without making its environments."""

from __future__ import annotations

import importlib
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.spec import seeding
from envpool.spec.checks import resolve
from envpool.spec.columns import columns_of
from envpool.spec.config import COMMON_CONFIG, COMMON_DESCRIPTIONS, OTHER_NAMES, RENDER_MODES
from envpool.spec.dm import NestedTuple, dm_spec
from envpool.spec.envpool_names import EnvPoolNames
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.lazy import lazy_property
from envpool.spec.memory import require_env_memory
from envpool.spec.per_env import is_per_env
from envpool.spec.plans import dm_observation, envpool_infos
from envpool.spec.spaces import Field, gymnasium_structure, nest

if TYPE_CHECKING:
    from envpool._core import EnvType
    from envpool.render.drawing import Drawer


class EnvSpec(EnvPoolNames):
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
    # What originals call options, by our names: of a family, beside OTHER_NAMES.
    other_names: ClassVar[dict[str, str]] = {}
    # How large a seed the task's random generator takes.
    seed_bits: ClassVar[int] = seeding.SEED_BITS
    # Modules of the family: the one with its drawers (see envpool.render.drawing), and the one with
    # the rules of its infos (see envpool.spec.infos).
    # Has Gymnasium's environment an attribute ``state``, which users read and set?
    has_state: ClassVar[bool] = False
    drawing: ClassVar[str | None] = None
    infos_module: ClassVar[str | None] = None
    # How the infos of environments are shown of which that module says nothing.
    usual_infos: ClassVar[InfoRules] = InfoRules()
    # What makes a pool of a spec; the classes of pools are above this one.
    make_pool: ClassVar[Callable[..., Any] | None] = None
    # Of each environment the index of its spec in task_specs; none where all are of the first.
    kind_of: Sequence[int] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not hasattr(cls, "env_type"):
            return  # a base of a family's specs
        options = {name: entry["default"] for name, entry in cls.env_type.options.items()}
        cls.defaults = cls._with_other_options(COMMON_CONFIG | options)
        cls.Config = namedtuple("Config", list(cls.defaults))  # type: ignore[misc]

    def __init__(self, config: Iterable[Any]) -> None:
        options = self.own_names(self.Config(*config)._asdict())
        self.config = resolve(self.Config(**self._with_other_options(options)), self.env_type)
        native = self.options_of(0)
        require_env_memory(self.env_type, native)
        self._described: dict[str, Any] = self.env_type.spec(native)
        self.config = self.config._replace(max_num_players=self.most_players)

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """The options as a named tuple, with defaults for those that are not given.

        Raises:
            TypeError: There is no such option (the message names the most similar one), or two
                names of an option have different values.
        """
        kwargs = cls.own_names(kwargs)
        for name in kwargs:
            if name not in cls.defaults:
                hint = did_you_mean(name, cls.defaults)
                raise TypeError(f"{cls.env_type.name} has no option {shown(name)}{hint}")
        return cls.Config(**cls._with_other_options(cls.defaults | kwargs))

    @classmethod
    def other_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options under other names that programs use; families may override this.

        :meth:`own_names` must convert these names back to ours.

        Args:
            options: The values of all options, by our names.
        """
        return {}

    @classmethod
    def _with_other_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        return options | cls.other_options(options)

    @classmethod
    def own_names(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The same options, with our names for those that Gymnasium or a family names differently.

        Args:
            kwargs: Values of options. A task's own option of a name takes precedence.

        Raises:
            TypeError: Two names of an option have different values.
        """
        result = dict(kwargs)
        for other, name in (OTHER_NAMES | cls.other_names).items():
            if other not in result or other in cls.defaults or name not in cls.defaults:
                continue
            value = result.pop(other)
            if name in result and not np.array_equal(result[name], value):
                raise TypeError(
                    f"{other} is {shown(value)} and {name} is {shown(result[name])}, "
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
    def render_modes(cls) -> list[str]:
        """The modes in which environments of this kind can be rendered."""
        return list(RENDER_MODES) if cls.env_type.can_render else []

    @classmethod
    def drawer(cls) -> type[Drawer] | None:
        """What draws environments of this kind; None if they draw themselves."""
        return cls._drawers().get(cls.env_type.name)

    @classmethod
    def _drawers(cls) -> dict[str, type[Drawer]]:
        """What draws the family's environments, by their native names."""
        if cls.drawing is None:
            return {}
        drawers: dict[str, type[Drawer]] = importlib.import_module(cls.drawing).DRAWERS
        return drawers

    @classmethod
    def why_no_drawer(cls) -> str:
        """What to say of an environment that does not draw itself and has no drawer either."""
        names = list(cls._drawers())
        if cls.drawing is None or cls.env_type.name in names:
            return ""
        hint = did_you_mean(cls.env_type.name, names)
        return (
            f": it has no Render, and {cls.drawing}.DRAWERS no entry {cls.env_type.name!r}, but "
            f"{', '.join(map(repr, names)) or 'none at all'}{hint}"
        )

    @classmethod
    def _rules_of(cls, options: Iterable[dict[str, Any]]) -> Iterator[InfoRules]:
        """How the infos of environments with these options are shown; once if in the same way."""
        table: InfoTable = {}
        if cls.infos_module is not None:
            table = importlib.import_module(cls.infos_module).INFOS
        rules = table.get(cls.env_type.name, cls.usual_infos)
        if isinstance(rules, InfoRules):
            yield rules
        else:
            yield from map(rules, options)

    @lazy_property
    def info_rules(self) -> InfoRules:
        """How the environments' infos are shown.

        Raises:
            ValueError: Not all alike, because their options differ.
        """
        rules, *others = self._rules_of(self._each_options())
        if any(other != rules for other in others):
            raise ArgumentError(
                f"an environment of {self.env_type.name} has options that give it other infos than "
                "environment 0's"
            )
        rules.check(self.infos)
        return rules

    def check_infos(self, options: Iterable[dict[str, Any]]) -> None:
        """Refuses options with which environments would have other infos.

        Args:
            options: Those of each environment, in the types that native code has.

        Raises:
            ValueError: The infos would be others.
        """
        if any(rules != self.info_rules for rules in self._rules_of(options)):
            raise ArgumentError(f"these options would change the infos of {self.env_type.name}")

    @lazy_property  # asked for with every picture
    def frame_size(self) -> tuple[int, int]:
        """Width and height of a rendered picture."""
        width, height = self.env_type.frame_size(self.options_of(0))
        return self.config.render_width or width, self.config.render_height or height

    @property
    def render_metadata(self) -> dict[str, Any]:
        """What Gymnasium's wrappers want to know of rendering."""
        metadata: dict[str, Any] = {"render_modes": self.render_modes()}
        fps = self.env_type.render_fps(self.options_of(0))
        if fps is not None:
            metadata["render_fps"] = round(fps)
        return metadata

    def changed(self, **kwargs: Any) -> Self:
        """A spec of the same task with some other options.

        Args:
            **kwargs: Options. If ``num_envs`` changes, a synchronous pool stays synchronous. A new
                ``seed`` replaces all seeds.

        Raises:
            TypeError: There is no such option, or its value has a wrong type.
            ArgumentError: An option's value is not allowed.
        """
        if not kwargs:
            return self
        own = self.config._asdict()
        kept = {name: own[name] for name in (*COMMON_CONFIG, *self.env_type.options)}
        if self.config.batch_size == self.config.num_envs:
            kept["batch_size"] = 0
        if "seed" in kwargs:
            kept["env_seed"] = []
        spec = type(self)(self.gen_config(**(kept | self.own_names(kwargs))))
        spec.id = self.id
        return spec

    def make(
        self, env_type: str = "gymnasium", *, old_gym: bool | None = None, **kwargs: Any
    ) -> Any:
        """Makes a pool. Specs can be pickled, so this also works in another process.

        Args:
            env_type: The API of the pool; see :func:`envpool.make`.
            old_gym: See :func:`envpool.make`.
            **kwargs: Options that differ from this spec's; see :meth:`changed`. If several
                processes make pools from one spec, pass above all a ``seed``.

        Raises:
            TypeError: There is no such option, or its value has a wrong type; or the environments
                are written in Python: then a spec does not know how to make them.
            ArgumentError: An option's value is not allowed.
        """
        if self.make_pool is None:
            raise TypeError(
                f"a {type(self).__name__} does not know what makes its environments: "
                "call envpool.make() or envpool.make_python() again, or pickle a "
                "functools.partial of it"
            )
        return self.make_pool(self, env_type, old_gym, **kwargs)

    @classmethod
    def pool_methods(cls) -> tuple[str, ...]:
        """What pools and environments of a family have beside their API: names of methods.

        Specs have these, too, with the options that they say.
        """
        return ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """One of these methods.

        Args:
            name: One of :meth:`pool_methods`.
            options: Those of environments for which it is called, or of all of them, in the types
                that native code has.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method {name}")

    @property
    def task_specs(self) -> list[EnvSpec]:
        """The specs of the tasks that the environments are of: this one, unless there are more."""
        return [self]

    @property
    def shows_tasks(self) -> bool:
        """Have results the info ``task``, an index of :attr:`task_specs`?"""
        return False

    def place_of(self, env: int) -> tuple[EnvSpec, int]:
        """The spec of an environment's task, and which of that one's environments it is."""
        return self, env

    def make_options(self) -> dict[str, Any]:
        """The options that make this spec again, by their names."""
        own = self.config._asdict()
        return {name: own[name] for name in (*COMMON_CONFIG, *self.env_type.options)}

    def require_reset_info(self) -> None:
        """Refuses ``gym_reset_return_info=False``, which only a pool for an old gym can do.

        Raises:
            ValueError: It is False.
        """
        if not self.config.gym_reset_return_info:
            raise ArgumentError("gym_reset_return_info is False, expected True")

    def seeds(self) -> list[int]:
        """The seed of each environment.

        Raises:
            ValueError: One is too large for the task's random generator.
        """
        num_envs = self.config.num_envs
        seed = self.config.env_seed or self.config.seed
        seeds = seeding.seeds_for(seed, range(num_envs), num_envs)
        seeding.require_bits(seeds, range(num_envs), self.seed_bits)
        return seeds

    def options(self) -> list[dict[str, Any]]:
        """The environments' own options: one dict for all of them, or one each."""
        return list(self._each_options())

    def _each_options(self) -> Iterator[dict[str, Any]]:
        count = 1
        for name, entry in self.env_type.options.items():
            if self._is_per_env(name, entry["default"]):
                count = self.config.num_envs
        return (self.options_of(env) for env in range(count))

    def options_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, in the types that native code has."""
        return self.to_native(self.given_options_of(env))

    def given_options_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, as they were given."""
        return {name: self._option_of(name, env) for name in self.env_type.options}

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """An environment's options in the types that native code has; families may override this.

        Args:
            options: Values by name, as the caller gave them.
        """
        return options

    def _is_per_env(self, name: str, default: Any) -> bool:
        return is_per_env(name, getattr(self.config, name), default, self.config.num_envs)

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

    @lazy_property
    def observation_space(self) -> spaces.Space[Any]:
        """Gymnasium's space of one environment's observation."""
        space: spaces.Space[Any] = self.space_of("observation", spaces)
        return space

    @lazy_property
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

    @property
    def strict_action_space(self) -> spaces.Space[Any]:
        """The space of one environment's action as Gymnasium's own environment has it."""
        return self.action_space

    @property
    def strict_observation_space(self) -> spaces.Space[Any]:
        """The space of one environment's observation as Gymnasium's own environment has it."""
        return self.observation_space

    @lazy_property
    def columns(self) -> dict[str, Field]:
        """All columns that results can have."""
        return columns_of(self._described)

    @lazy_property
    def _dm_template(self) -> dict[str, Any]:
        """dm_env's specs of everything in an observation, as a nested dict."""
        shown = {key: self.columns[column] for key, column in dm_observation(self).items()}
        return nest({key: dm_spec(field | {"name": key}) for key, field in shown.items()})

    @lazy_property
    def dm_state(self) -> NestedTuple:
        """What makes dm_env's observations, named tuples ``State``, of nested dicts."""
        return NestedTuple("State", self._dm_template)

    def observation_spec(self) -> Any:
        """dm_env's specs of one environment's observation, as the named tuple ``State``."""
        return self.dm_state.build(self._dm_template)

    def action_spec(self) -> Any:
        """dm_env's spec of one environment's action, or a nested dict of several."""
        specs = {field["name"]: dm_spec(field) for field in self.action_fields}
        if self._described["action_structure"] == "single":
            return next(iter(specs.values()))
        return nest(specs)

    @property
    def observation_names(self) -> list[str]:  # type: ignore[override]
        """The names of the observation's arrays."""
        return [field["name"] for field in self._described["observation"]]

    @property
    def observation_structure(self) -> str:
        """How these arrays form an observation: ``"single"``, ``"dict"`` or ``"tuple"``."""
        structure: str = self._described["observation_structure"]
        return structure

    @property
    def infos(self) -> list[str]:  # type: ignore[override]
        """The names of the native environment's infos, whichever API shows them."""
        return [field["name"] for field in self._described["info"]]

    @property
    def action_fields(self) -> list[Field]:  # type: ignore[override]
        """The action's arrays."""
        fields: list[Field] = self._described["action"]
        return fields

    @property
    def action_names(self) -> list[str]:
        """The names of the action's arrays."""
        return [field["name"] for field in self.action_fields]

    @property
    def info_keys(self) -> dict[str, str]:
        """The dotted keys of ``info``, with dtype and shape of one row."""
        shown = {key: self.columns[column] for key, column in envpool_infos(self).items()}
        return {key: f"{field['dtype']} {field['shape']}" for key, field in shown.items()}

    def _key(self) -> str:
        """All options in words, since some have no hashes."""
        return repr(self.config)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.config),), {"id": self.id}

    def differing_options(self) -> dict[str, Any]:
        """``num_envs``, and the options that have other values than the environment's defaults."""
        defaults = self.defaults | {"batch_size": self.config.num_envs}
        return {
            name: value
            for name, value in self.config._asdict().items()
            if name == "num_envs" or repr(value) != repr(defaults[name])
        }

    def __repr__(self) -> str:
        arguments = ", ".join(
            f"{name}={value!r}" for name, value in self.differing_options().items()
        )
        return f"{type(self).__name__}({arguments})"
