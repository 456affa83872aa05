"""EnvSpec: everything about a task that is known without making its environments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from envpool.compat.spec_names import EnvPoolNames
from envpool.spec.option_values import KnownOptions, OptionValues
from envpool.spec.pictures import Pictures
from envpool.spec.spaces import Spaces

if TYPE_CHECKING:
    from envpool._core import EnvType
    from envpool.spec.plans import Plans


class EnvSpec(EnvPoolNames):
    """A task's options, spaces and arrays.

    There is a subclass for each kind of environment; :func:`envpool.tasks.export.lazy_export` makes
    it.

    Args:
        config: The values of all options, in the order of ``Config._fields``; see
            :meth:`gen_config`.

    Attributes:
        id: The task's id, if it has one.
        config: The options as a named tuple, batch_size resolved.
        options: The same, for all environments and for each of them.
        spaces: The observations, actions and infos.
        pictures: How environments are drawn.
        engine: The library of somebody else's that computes the steps, such as ``"MuJoCo 4.0.0"``;
            empty if none does.
    """

    env_type: ClassVar[EnvType]
    known: ClassVar[KnownOptions]
    # Families put their own classes of parts here.
    known_class: ClassVar[type[KnownOptions]] = KnownOptions
    spaces_class: ClassVar[type[Spaces]] = Spaces
    engine: str = ""
    # True if Gymnasium's environment has an attribute ``state``, which users read and set.
    has_state: ClassVar[bool] = False
    # The family's module with its drawers (see envpool.render.drawing), and its module with the
    # rules of its infos (see envpool.spec.infos).
    drawing: ClassVar[str | None] = None
    infos_module: ClassVar[str | None] = None
    # Options that recordings leave out, because the task's id stands for them.
    unrecorded: Sequence[str] = ()
    # The function that makes a pool of a spec; the classes of pools are in a layer above this one.
    make_pool: ClassVar[Callable[..., Any] | None] = None

    id: str | None = None
    # The index of each environment's spec in task_specs; empty where all are of the first.
    kind_of: Sequence[int] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "env_type" in vars(cls):  # a family's base has none
            kind = cls.env_type
            cls.known = cls.known_class(kind.name, kind.options, kind.reset_options)

    def __init__(self, config: Iterable[Any]) -> None:
        self._make_parts(self.known.own_names(self.known.Config(*config)._asdict()))

    @classmethod
    def of_options(cls, options: dict[str, Any]) -> Self:
        """The spec with these options.

        Args:
            options: Options by our names, as :meth:`KnownOptions.read` returns them; the others
                have their defaults.

        Raises:
            TypeError: An option has a wrong type.
            ArgumentError: An option's value is not allowed.
        """
        spec = cls.__new__(cls)
        spec._make_parts(options)
        return spec

    def _make_parts(self, given: dict[str, Any]) -> None:
        options = OptionValues(self.known, self.known.settle(given), self.env_type.read)
        options.require_memory()
        spaces = self.spaces_class(options.native.spec(), options, self.infos_module)
        pictures = Pictures(options, self.drawing)
        self._set_parts(options, spaces, pictures)

    def _set_parts(self, options: OptionValues, spaces: Spaces, pictures: Pictures) -> None:
        self.options, self.spaces, self.pictures = options, spaces, pictures
        self.config = options.config = options.config._replace(max_num_players=spaces.most_players)

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """The options as a named tuple, with defaults for those that are not given.

        Raises:
            TypeError: There is no such option (the message names the most similar one), or two
                names of an option have different values.
        """
        return cls.known.gen_config(cls.known.read(kwargs))

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
        spec = self.of_options(self.options.changed(kwargs))
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

    def pool_around(self, make: Callable[[Plans], Any], plans: Plans) -> Any:
        """A native pool; families may put something between it and its face.

        Args:
            make: Makes it.
            plans: What its results look like.
        """
        return make(plans)

    # What a family adds to pools: functions of the options of environments, and of what they are
    # called with. See pool_methods and pool_method.
    methods: ClassVar[Mapping[str, Callable[..., Any]]] = {}

    @classmethod
    def pool_methods(cls) -> tuple[str, ...]:
        """The names of methods that pools and environments of a family have beside their API.

        Specs have these, too, with the options that they say.
        """
        return tuple(cls.methods)

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """One of these methods.

        Args:
            name: One of :meth:`pool_methods`.
            options: Those of environments for which it is called, or of all of them, in the types
                that native code has.
        """
        return functools.partial(self.methods[name], options)

    if not TYPE_CHECKING:  # which would take any name for one of a spec

        def __getattr__(self, name: str) -> Any:
            # Python calls this for names that it finds nowhere else. A name with "_" is no method:
            # pool_methods may itself ask for one, which is not there yet.
            if name.startswith("_") or name not in self.pool_methods():
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return self.pool_method(name, list(self.options.each()))

    @property
    def task_specs(self) -> list[EnvSpec]:
        """The specs of the tasks that the environments are of: this one, unless there are more."""
        return [self]

    def place_of(self, env: int) -> tuple[EnvSpec, int]:
        """The spec of an environment's task, and which of that one's environments it is."""
        return self, env

    def _key(self) -> str:
        """All options in words, since some have no hashes."""
        return repr(self.config)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.config),), {"id": self.id}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.options})"


class StatefulEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of environments that have an attribute ``state`` in Gymnasium."""

    has_state = True
