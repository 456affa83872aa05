"""GymnasiumEnvPool: a pool that speaks Gymnasium's vector API, in EnvPool's dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import gymnasium
from gymnasium.vector import VectorEnv

from envpool.flavours.base import EnvPool
from envpool.flavours.final_rows import merge_final
from envpool.spec.env_spec import EnvSpec
from envpool.spec.values import AutoresetMode, parse_mode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    # Observations are an array, or a dict or tuple of them.
    Reset = tuple[Any, dict[str, Any]]
    Step = tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


def old_gymnasium(what: str) -> ImportError:
    """Returns what tells whoever wants the vector API of an older Gymnasium what to do instead.

    Args:
        what: Needs it.
    """
    return ImportError(
        f"{what} needs gymnasium>=1.0, and this is {gymnasium.__version__}, whose vector API was "
        "another one: pip install -U gymnasium; envpool.make() works with both"
    )


def make_metadata(spec: EnvSpec) -> dict[str, Any]:
    """The metadata that Gymnasium's wrappers read."""
    return spec.pictures.metadata | {"autoreset_mode": parse_mode(spec.config.autoreset_mode)}


class GymnasiumEnvPool(EnvPool, VectorEnv, gymnasium.Env):  # type: ignore[misc]
    """Many environments as one :class:`gymnasium.vector.VectorEnv`.

    In EnvPool's dialect ``observation_space`` and ``action_space`` describe ONE environment, while
    all arrays have the batch as their first axis. The option ``autoreset_mode`` decides what
    follows the end of an episode; by default the next ``step`` ignores its action and returns the
    new episode's first observation with reward 0.
    """

    def __init__(self, spec: EnvSpec) -> None:
        EnvPool.__init__(self, spec)
        self.observation_space = self.single_observation_space = spec.observation_space
        self.action_space = self.single_action_space = spec.action_space
        self.metadata = make_metadata(spec)
        self.autoreset_mode = self.metadata["autoreset_mode"]
        self._has_finals = self.autoreset_mode is AutoresetMode.SAME_STEP

    def _to_output(self, results: tuple[Any, ...]) -> Any:
        # The other modes are spared the call.
        return merge_final(results) if self._has_finals else results

    if TYPE_CHECKING:  # what they return in this API
        spec: EnvSpec  # type: ignore[assignment]
        observation_space: gymnasium.Space[Any]
        action_space: gymnasium.Space[Any]
        single_observation_space: gymnasium.Space[Any]
        single_action_space: gymnasium.Space[Any]

        def reset(  # noqa: D102 - the base class has it
            self,
            env_id: ArrayLike | None = None,
            *,
            seed: Any = None,
            options: dict[str, Any] | None = None,
            env_ids: ArrayLike | None = None,
        ) -> Reset: ...

        def step(  # type: ignore[override]  # noqa: D102
            self, action: Any, env_id: ArrayLike | None = None, env_ids: ArrayLike | None = None
        ) -> Step: ...

        @overload
        def recv(
            self,
            reset: Literal[False] = False,
            return_info: bool = True,
            *,
            timeout: float | None = None,
        ) -> Step: ...
        @overload
        def recv(
            self, reset: Literal[True], return_info: bool = True, *, timeout: float | None = None
        ) -> Reset: ...
        @overload
        def recv(
            self, reset: bool = False, return_info: bool = True, *, timeout: float | None = None
        ) -> Any: ...
        def recv(  # noqa: D102
            self, reset: bool = False, return_info: bool = True, *, timeout: float | None = None
        ) -> Any: ...

    @property
    def unwrapped(self) -> GymnasiumEnvPool:
        """The pool itself."""
        return self
