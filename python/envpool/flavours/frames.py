"""EnvPoolFramesEnv: a strict vector environment whose pictures wait until they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec


class EnvPoolFramesEnv(EnvPoolVectorEnv):
    """The vector environment of ``gymnasium.make_vec`` with ``render_mode="rgb_array_list"``.

    Each environment has what Gymnasium's RenderCollection gives a single one: a picture after every
    reset and step, forgotten when an episode starts.

    Args:
        spec: What to make, with the render mode "rgb_array".
    """

    def __init__(self, spec: EnvSpec) -> None:
        super().__init__(spec)
        self.render_mode = "rgb_array_list"
        self.metadata["render_modes"] = [*self.metadata["render_modes"], self.render_mode]
        self._frames: list[list[NDArray[np.uint8]]] = [[] for _ in self.all_env_ids]

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """See :meth:`EnvPoolVectorEnv.reset`."""
        mask = (options or {}).get("reset_mask", self.all_env_ids >= 0)
        results = super().reset(seed=seed, options=options)
        self._collect(np.flatnonzero(mask), mask)
        return results

    def step(self, actions: Any) -> Any:
        """See :meth:`EnvPoolVectorEnv.step`."""
        results = super().step(actions)
        self._collect(self.all_env_ids, np.array(self.get_attr("elapsed_step")) == 0)
        return results

    def _collect(self, env_ids: Any, has_started: Any) -> None:
        for i, picture in zip(env_ids, self._camera.take(self._pool, env_ids), strict=True):
            self._frames[i] = [*([] if has_started[i] else self._frames[i]), picture]

    def render(self) -> Any:
        """The pictures of each environment since its episode began or they were last asked for."""
        frames, self._frames = self._frames, [[] for _ in self.all_env_ids]
        return tuple(frames)
