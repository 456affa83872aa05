"""KnownOptions and OptionValues: which options environments have, and the values in a spec."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from envpool.errors import did_you_mean, shown
from envpool.spec.memory import require_memory
from envpool.spec.options import (
    COMMON,
    INSTEAD,
    OPTIONS,
    OTHER_NAMES,
    About,
    Option,
    options_about,
    resolve,
)
from envpool.spec.values import SEED_BITS, is_per_env, require_bits, seeds_for

if TYPE_CHECKING:
    from envpool._core import TypedOptions


class KnownOptions:
    """The options that environments of one kind have: those of all pools, and their own.

    Families derive from this class where their originals have other names or types of options.

    Args:
        name: What messages call the environments.
        own: What the native core tells of their own options, by name.
        reset: What it tells of the options of their resets.
        defaults: Values of their own options, if these are not the defaults that it tells.

    Attributes:
        defaults: The defaults of all options, in the order of ``Config``.
        Config: The named tuple of all options' values.
    """

    # The environments' random generator takes seeds of so many bits.
    seed_bits: ClassVar[int] = SEED_BITS
    # What messages about unknown options say beside.
    advice: ClassVar[str] = ""
    # The rows of the table of options that they have.
    rows: ClassVar[Mapping[str, Option]] = COMMON
    # Originals' names of options, with ours; the table of options has those of all pools.
    other_names: ClassVar[Mapping[str, str]] = {}
    # Options of their own that native code does not have, told of as it tells of its own.
    further: ClassVar[Mapping[str, dict[str, Any]]] = {}

    def __init__(
        self,
        name: str,
        own: Mapping[str, dict[str, Any]],
        reset: Mapping[str, dict[str, Any]],
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.own = {**own, **self.further}
        self.reset = reset
        if defaults is None:
            told = {option: entry["default"] for option, entry in self.own.items()}
            defaults = {option: self.own_default(option, each) for option, each in told.items()}
        of_pools = {name: option.default for name, option in self.rows.items()} | dict(defaults)
        self.defaults = of_pools | self.other_options(of_pools)
        self.Config: Any = namedtuple("Config", list(self.defaults))  # type: ignore[misc]

    def own_default(self, name: str, default: Any) -> Any:
        """The default of an option of their own, as users give values of it.

        Args:
            name: The option.
            default: What the native core tells.
        """
        return default

    def reset_values(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options of a reset, by our names and as the native core takes them.

        Args:
            options: Values by name, as the caller gave them.
        """
        return options

    def read(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The options that a caller gives, by our names.

        Args:
            kwargs: Values by any of the options' names.

        Raises:
            TypeError: There is no such option, or two names of an option have different values.
        """
        options = self.own_names(kwargs)
        for name in options:
            if name not in self.defaults:
                hint = INSTEAD.get(name) or did_you_mean(name, self.defaults)
                raise TypeError(f"{self.name} has no option {shown(name)}{hint}{self.advice}")
        return options

    def gen_config(self, options: dict[str, Any]) -> Any:
        """The values of all options as a named tuple, also those under other names.

        Args:
            options: Some of them, by our names; the others have their defaults.
        """
        values = self.defaults | options
        return self.Config(**(values | self.other_options(values)))

    def settle(self, options: dict[str, Any]) -> Any:
        """The same, with batch_size and the seeds resolved.

        Args:
            options: Some of them, by our names; the others have their defaults.

        Raises:
            TypeError: An option has a wrong type.
            ValueError: An option's value is not allowed, whatever the task.
        """
        return resolve(self.gen_config(options), self.rows)

    def other_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options under other names that programs use; families may override this.

        :meth:`own_names` must convert these names back to ours.

        Args:
            options: The values of all options, by our names.
        """
        return {}

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The same options, with our names for those that Gymnasium or a family names differently.

        Args:
            kwargs: Values of options. A task's own option of a name takes precedence.

        Raises:
            TypeError: Two names of an option have different values.
        """
        result = dict(kwargs)
        for other, name in (OTHER_NAMES | dict(self.other_names)).items():
            if other not in result or other in self.defaults or name not in self.defaults:
                continue
            value = result.pop(other)
            if name in result and not np.array_equal(result[name], value):
                raise TypeError(
                    f"{other} is {shown(value)} and {name} is {shown(result[name])}, "
                    "expected one of them: they are the same option"
                )
            result[name] = value
        return result

    def describe(self) -> dict[str, str]:
        """A line about each option, with its other names."""
        lines = {name: option.description for name, option in self.rows.items()}
        lines |= {name: entry["description"] for name, entry in self.own.items()}
        for other, name in self.other_names.items():
            if name in lines:
                lines[name] += f", {other}" if "; also: " in lines[name] else f"; also: {other}"
        return lines

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """An environment's options in the types that native code has; families may override this.

        Args:
            options: Values by name, as the caller gave them.
        """
        return options


class PythonOptions(KnownOptions):
    """The options of environments written in Python.

    Args:
        name: What messages call the environments.
    """

    advice = "; give env_kwargs what the environment's own constructor takes"
    rows: ClassVar = {name: row for name, row in OPTIONS.items() if About.CORE not in row.about}

    def __init__(self, name: str = "a Python environment") -> None:
        usual = {"limits": (-math.inf, math.inf), "choices": [], "expected": ""}
        rows = {name: OPTIONS[name] for name in options_about(About.PROCESSES)}
        own = {
            name: {"default": row.default, "description": row.description, **usual}
            for name, row in rows.items()
        }
        super().__init__(name, own, reset={})  # the environments say themselves what resets take


PYTHON = PythonOptions()


class SharedOptions(KnownOptions):
    """The options that tasks of one pool share.

    Args:
        kinds: Those of each task.
        name: What messages call the tasks.
        given: The names of options that were given for all of them.
    """

    def __init__(self, kinds: Sequence[KnownOptions], name: str, given: Sequence[str]) -> None:
        self._kinds = kinds
        self.seed_bits = min(kind.seed_bits for kind in kinds)  # type: ignore[misc]
        defaults = {name: kinds[0].defaults.get(name) for name in given if name not in COMMON}
        own, reset = common([kind.own for kind in kinds]), common([kind.reset for kind in kinds])
        super().__init__(name, own, reset, defaults)

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The same options, by our names; see :meth:`KnownOptions.own_names`."""
        return self._kinds[0].own_names(kwargs)

    def reset_values(self, options: dict[str, Any]) -> dict[str, Any]:
        """The same as the first task's; see :meth:`KnownOptions.reset_values`."""
        return self._kinds[0].reset_values(options)

    def describe(self) -> dict[str, str]:
        """A line about each option that all tasks have."""
        return common([kind.describe() for kind in self._kinds])


def common(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The entries of the first mapping whose keys all of them have."""
    return {name: entry for name, entry in each[0].items() if all(name in other for other in each)}


class OptionValues:
    """The values of all options.

    Args:
        known: Which options there are.
        config: The values as a named tuple, batch_size and seeds resolved.
        read: Makes native code's form of an environment's own options, if there is native code.

    Attributes:
        native: That form of environment 0's options.
    """

    def __init__(self, known: KnownOptions, config: Any, read: Any = None) -> None:
        self.known = known
        self.config = config
        self.read = read
        self.native: Any = None if read is None else read(self.of(0))

    def require_memory(self) -> None:
        """Refuses an environment that would not fit into memory.

        Raises:
            MemoryError: It would not.
        """
        require_memory(self.native.memory(), "an environment needs", self.enlarging())

    def enlarging(self) -> Iterator[str]:
        """The numbers among the options that make an environment larger than it is by default."""
        given, need = self.of(0), self.native.memory()
        for name, entry in self.known.own.items():
            default = entry["default"]
            if type(default) is int and self.read(given | {name: default}).memory() < need:
                yield name

    def kept(self) -> dict[str, Any]:
        """The options that make this spec again, without the other names of some."""
        return {name: getattr(self.config, name) for name in (*COMMON, *self.known.own)}

    def changed(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The options by our names, with others in place of some; see :meth:`EnvSpec.changed`."""
        kept = self.kept()
        if self.config.batch_size == self.config.num_envs:
            kept["batch_size"] = 0
        if "seed" in kwargs:
            kept["env_seed"] = []
        return kept | self.known.read(kwargs)

    def differing(self) -> dict[str, Any]:
        """``num_envs``, and the options that have other values than the environment's defaults."""
        defaults = self.known.defaults | {"batch_size": self.config.num_envs}
        return {
            name: value
            for name, value in self.config._asdict().items()
            if name == "num_envs" or repr(value) != repr(defaults[name])
        }

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.differing().items())

    def seeds(self) -> list[int]:
        """The seed of each environment.

        Raises:
            ValueError: One is too large for the task's random generator.
        """
        env_ids = range(self.config.num_envs)
        seeds = seeds_for(self.config.env_seed or self.config.seed, env_ids, len(env_ids))
        require_bits(seeds, env_ids, self.known.seed_bits)
        return seeds

    def each(self) -> Iterator[dict[str, Any]]:
        """The environments' own options in native types: one dict for all of them, or one each."""
        lists = [name for name in self.known.own if self._is_per_env(name)]
        return map(self.of, range(self.config.num_envs if lists else 1))

    def typed(self) -> list[TypedOptions]:
        """The same in native code's form."""
        _, *others = self.each()
        return [self.native, *map(self.read, others)]

    def of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, in the types that native code has."""
        return self.known.to_native(self.given_of(env))

    def given_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, as they were given."""
        values = {name: getattr(self.config, name) for name in self.known.own}
        return {
            name: value[env] if self._is_per_env(name) else value for name, value in values.items()
        }

    def _is_per_env(self, name: str) -> bool:
        default = self.known.defaults[name]
        return is_per_env(name, getattr(self.config, name), default, self.config.num_envs)


class MultiValues(OptionValues):
    """The values of the options that tasks of one pool share.

    Args:
        known: Which options they share.
        config: Their values.
        given: The options that were given.
        places: For each environment the values of its task's options, and its index among these.
    """

    def __init__(
        self,
        known: KnownOptions,
        config: Any,
        given: dict[str, Any],
        places: Sequence[tuple[OptionValues, int]],
    ) -> None:
        super().__init__(known, config)
        self._given, self._places = given, places

    def kept(self) -> dict[str, Any]:
        """The options that make this spec again, beside the tasks."""
        return {name: value for name, value in self._given.items() if name != "num_envs"}

    def changed(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The options that were given, with others in the place of some."""
        forgotten = "env_seed" if "seed" in kwargs else None
        return {name: v for name, v in self._given.items() if name != forgotten} | kwargs

    def each(self) -> Iterator[dict[str, Any]]:
        """The environments' own options in native types, one dict each."""
        return map(self.of, range(self.config.num_envs))

    def of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, in the types that native code has."""
        values, index = self._places[env]
        return values.of(index)

    def given_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, as they were given."""
        values, index = self._places[env]
        return values.given_of(index)
