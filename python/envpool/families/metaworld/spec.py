"""SawyerEnvSpec and INFOS: what is known of a task of Meta-World."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.families.metaworld.registration import BY_NAME
from envpool.families.mujoco.engine import installed
from envpool.families.mujoco.spec import view_settings
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.option_values import KnownOptions


class SawyerOptions(KnownOptions):
    """Options whose defaults are the task's."""

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers.
        """
        native = options | view_settings(options)
        task = BY_NAME.get(str(options["task_name"]))
        if task is None:  # which is refused where the values are
            return native
        own = {"random_low": task.low, "random_high": task.high}
        native |= {name: list(own[name]) for name in own if np.size(options[name]) == 0}
        if np.array_equal(options["least_distance"], -1):
            native["least_distance"] = task.apart
        return native


class SawyerEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a task of Meta-World.

    Observations are float64 of shape ``(39,)``, in metres but for rotations: the hand's place, how
    far its fingers are apart (0 to 1), the places and rotations of two objects, or zeros; the same
    as it was a step before; and the goal, or zeros with ``partially_observable``. With
    ``frame_stack`` they have a leading axis of that length; with ``from_pixels`` they are uint8 of
    shape ``(3 * frame_stack, height, width)``. Actions are float32 of shape ``(4,)``, from -1 to 1:
    where the hand goes, in centimetres per step, and how hard its fingers close.
    """

    engine = f"MuJoCo {installed()}"
    known_class = SawyerOptions


INFOS: InfoTable = {
    "MetaWorld": InfoRules(
        only_envpool=("task_id",),
        only_steps=(
            *("success", "near_object", "grasp_success", "grasp_reward", "in_place_reward"),
            *("obj_to_target", "unscaled_reward"),
        ),
    )
}
