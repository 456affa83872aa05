"""EnvPoolEnv: one environment of a pool as a plain Gymnasium environment."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.flavours.row_results import SingleResults
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import batch_of_one

# What every environment of Gymnasium's has.
_OF_ALL = frozenset({*dir(gymnasium.Env), *gymnasium.Env.__annotations__})
# What can be read and would not count if it were set, and what does instead.
_INSTEAD = {
    "np_random": "draw from it, set its bit_generator.state, or reset(seed=...)",
    "np_random_seed": "reset(seed=...) seeds the environment",
    "render_mode": "give it to make()",
    "elapsed_step": "set_state() goes back to a snapshot",
    "closed": "close() closes the environment",
}


class EnvPoolEnv(gymnasium.Env[Any, Any]):
    """One native environment. The options of its task are attributes, and can be set.

    It can be copied and pickled; a copy continues from the same state with the same bytes.

    Args:
        spec: What to make, for one environment and without auto-reset.
    """

    def __init__(self, spec: EnvSpec) -> None:
        self.render_mode = spec.config.render_mode
        self.metadata = spec.pictures.metadata
        self._task_id: str = str(spec.id)
        self._vector_env = EnvPoolVectorEnv(spec)
        self._vector_env._results = SingleResults(spec)
        self.observation_space = spec.spaces.strict_observation
        self.action_space = spec.spaces.strict_action

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode; see :meth:`gymnasium.Env.reset`.

        Args:
            seed: Reseeds the random generator, which otherwise continues.
            options: The task's reset options.
        """
        return self._vector_env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps the environment; see :meth:`gymnasium.Env.step`.

        Raises:
            ArgumentError: The action is outside of its space, or has a wrong shape.
            RuntimeError: The episode is over: call ``reset()`` first.
        """
        try:
            results: tuple[Any, float, bool, bool, dict[str, Any]]
            results = self._vector_env.step(batch_of_one(action))
        except ArgumentError:
            shape, expected = np.shape(action), self.action_space.shape
            if expected is None or shape == expected:
                raise
            raise ArgumentError(f"action has shape {shape}, expected {expected}") from None
        return results

    def render(self) -> NDArray[np.uint8] | None:
        """Draws the environment, or shows it in a window; see :meth:`EnvPoolVectorEnv.render`.

        Returns:
            With ``render_mode="rgb_array"`` a picture, RGB, uint8 of shape ``(height, width, 3)``.
            With ``"human"`` None: every ``reset()`` and ``step()`` shows the environment.
        """
        frames = self._vector_env.render()
        return frames[0] if frames else None

    @property  # type: ignore[misc]
    def np_random(self) -> np.random.Generator:
        """The environment's random generator: who draws from it moves it on."""
        return self._vector_env.np_random[0]

    @property
    def np_random_seed(self) -> int:
        """The last seed of the environment's random generator; -1 after set_state()."""
        return self._vector_env.np_random_seed[0]

    _np_random = np_random
    _np_random_seed = np_random_seed

    def get_state(self) -> bytes:
        """Saves the environment; see :meth:`EnvPool.get_state`."""
        return self._vector_env.get_state()[0]

    def set_state(self, state: bytes) -> None:
        """Puts the environment into a saved state; see :meth:`EnvPool.set_state`.

        Args:
            state: What :meth:`get_state` has returned.
        """
        self._vector_env.set_state([state])

    @property
    def closed(self) -> bool:
        """True if it was closed."""
        return self._vector_env.closed

    def close(self) -> None:
        """Ends the environment's thread."""
        self._vector_env.close()

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not found otherwise, so also before __init__ has run.
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._vector_env.get_attr(name)[0]
        except AttributeError as error:
            command = f"python -m envpool show {self._task_id}"
            raise AttributeError(f"{error}; `{command}` lists what can be read") from None

    def set_wrapper_attr(  # noqa: D102 - the base class has it
        self, name: str, value: Any, *, force: bool = True
    ) -> bool:
        return super().set_wrapper_attr(name, value, force=force or self._lacks(name))

    def __setattr__(self, name: str, value: Any) -> None:
        vector_env = self.__dict__.get("_vector_env")
        if vector_env is None:  # it is still being made
            super().__setattr__(name, value)
        elif vector_env.can_set(name):
            vector_env.set_attr(name, [value])
        elif (public := name.removeprefix("_")) in _INSTEAD:
            if name != "render_mode" or value != self.render_mode:
                raise AttributeError(f"{name} cannot be set: {_INSTEAD[public]}")
        elif not self._lacks(name):
            super().__setattr__(name, value)
        else:
            options = ", ".join(vector_env._spec.known.own) or "none"
            raise AttributeError(
                f"{name} cannot be set: Gymnasium's own {self._task_id} has it, and this one would "
                f"not change. Options of the task, which can be set: {options}"
            )

    def _lacks(self, name: str) -> bool:
        """True if this is something that only the original of this environment has."""
        if name in _OF_ALL:
            return False
        task = self._task_id.rpartition("/")[2]
        ids = [each for each in gymnasium.registry if each.rpartition("/")[2] == task]
        return any(name in _attributes(each) for each in ids if not each.startswith("envpool/"))


@functools.cache
def _attributes(env_id: str) -> frozenset[str]:
    """The names of what an environment of Gymnasium's registry has; none if it cannot be made."""
    try:
        env = gymnasium.make(env_id).unwrapped
        env.reset()  # which makes some of them
        env.close()
    except Exception:  # a package lacks something
        return frozenset()
    return frozenset(dir(env))
