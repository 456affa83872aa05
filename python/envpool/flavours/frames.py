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
        self._shows = True
        self.metadata["render_modes"] = [*self.metadata["render_modes"], self.render_mode]
        self._frames: list[list[NDArray[np.uint8]]] = [[] for _ in self.all_env_ids]

    def _show(self) -> None:
        has_started = np.array(self.get_attr("elapsed_step")) == 0
        env_ids: NDArray[Any] = self.all_env_ids
        if self._begun is not None and self._begun[1] is not None:
            env_ids = np.flatnonzero(self._begun[1])
        for i, picture in zip(env_ids, self._camera.take(self._pool, env_ids), strict=True):
            self._frames[i] = [*([] if has_started[i] else self._frames[i]), picture]

    def render(self) -> Any:
        """The pictures of each environment since its episode began or they were last asked for."""
        frames, self._frames = self._frames, [[] for _ in self.all_env_ids]
        return tuple(frames)
