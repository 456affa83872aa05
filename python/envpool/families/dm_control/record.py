"""The record of dm_control's suite."""

from envpool.families.dm_control import VERSION
from envpool.families.mujoco.record import WHEEL
from envpool.families.record import MUJOCO_3, Family, extra

FAMILY = Family(
    title="dm_control",
    place=50,
    tasks="the 51 tasks of its control suite: Walker, Cheetah, Humanoid, Quadruped, Dog and others",
    shown="CheetahRun-v1",
    equals=f"dm_control {VERSION} with MuJoCo {MUJOCO_3}, pictures included",
    drawn="MuJoCo, in the environment",
    package="envpool.families.dm_control",
    page="dm_control.md",
    ways=(
        extra(
            "dm-control",
            "MuJoCo and dm_control's models",
            f"dm_control=={VERSION}",
            f"mujoco=={MUJOCO_3}",
        ),
    ),
    check="envpool.families.dm_control:load_settings",
    upstream={"dm_control": VERSION, "mujoco": MUJOCO_3},
    opengl=True,
    beside="MuJoCo and dm_control's models (Apache-2.0)",
    wheel=WHEEL,
)
