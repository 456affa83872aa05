"""AtariEnvSpec: options also under the names that other packages' preprocessing has for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from envpool.errors import shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import KnownOptions

_SIZE = ("img_width", "img_height")


class AtariOptions(KnownOptions):
    """Options that also have Gymnasium's, ALE's and Stable-Baselines3's names."""

    other_names: ClassVar[Mapping[str, str]] = {
        "frameskip": "frame_skip",  # AtariEnv and AtariVectorEnv
        "grayscale_obs": "gray_scale",  # AtariPreprocessing
        "grayscale": "gray_scale",  # AtariVectorEnv
        "stack_size": "stack_num",  # FrameStackObservation
        "num_stack": "stack_num",  # the same before Gymnasium 1.0
        "n_stack": "stack_num",  # VecFrameStack
        "clip_reward": "reward_clip",  # AtariWrapper
        "clip_rewards": "reward_clip",  # Baselines' wrap_deepmind
        "reward_clipping": "reward_clip",  # AtariVectorEnv
        "action_repeat_probability": "repeat_action_probability",  # AtariWrapper
    }

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here ``screen_size`` is width and height.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values, or ``screen_size`` is neither
                a number nor two of them.
        """
        result = super().own_names(kwargs)
        if "screen_size" not in result:
            return result
        size = result.pop("screen_size")
        for name in _SIZE:
            if name in result:
                raise TypeError(
                    f"screen_size is {shown(size)} and {name} is {shown(result[name])}, expected "
                    "one of them: they are the same option"
                )
        if np.shape(size) not in ((), (2,)):
            raise TypeError(f"screen_size is {shown(size)}, expected a number or (width, height)")
        width, height = (size, size) if np.ndim(size) == 0 else size
        return result | {"img_width": width, "img_height": height}

    def describe(self) -> dict[str, str]:
        """A line about each option."""
        lines = super().describe()
        return lines | {name: f"{lines[name]}; both also: screen_size" for name in _SIZE}


class AtariEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes other packages' names of options."""

    known_class = AtariOptions
