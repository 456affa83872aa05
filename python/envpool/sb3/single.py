"""Single: one environment of a VecEnv, for those who call methods of single environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envpool.sb3.vec_env import VecEnv


class Single:
    """The methods of one environment that ``env_method`` can call.

    Args:
        vec_env: Whose environment it is.
        env_id: Its id.
    """

    def __init__(self, vec_env: VecEnv, env_id: int) -> None:
        self._vec_env = vec_env
        self._env_id = env_id

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode; see :meth:`gymnasium.Env.reset`."""
        return self._vec_env.reset_single(self._env_id, seed, options)

    def render(self) -> Any:
        """See :meth:`gymnasium.Env.render`."""
        frames = self._vec_env.vector_env.render()
        return frames[self._env_id] if frames else None

    def get_state(self) -> bytes:
        """See :meth:`envpool.flavours.base.EnvPool.get_state`."""
        return self._vec_env.vector_env.get_state([self._env_id])[0]

    def set_state(self, state: bytes) -> None:
        """See :meth:`envpool.flavours.base.EnvPool.set_state`."""
        self._vec_env.vector_env.set_state([state], [self._env_id])

    def has_wrapper_attr(self, name: str) -> bool:
        """See :meth:`gymnasium.Env.has_wrapper_attr`."""
        return bool(self._vec_env.has_attr(name))

    def get_wrapper_attr(self, name: str) -> Any:
        """See :meth:`gymnasium.Env.get_wrapper_attr`."""
        return self._vec_env.get_attr(name, self._env_id)[0]

    def set_wrapper_attr(self, name: str, value: Any) -> None:
        """See :meth:`gymnasium.Env.set_wrapper_attr`."""
        self._vec_env.set_attr(name, value, self._env_id)

    def __getattr__(self, name: str) -> Any:
        return self._vec_env.get_attr(name, self._env_id)[0]
