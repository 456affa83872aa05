"""The record of Meta-World."""

from envpool.families.metaworld import VERSION
from envpool.families.mujoco.record import WHEEL
from envpool.families.record import GYMNASIUM, MUJOCO_3, Family, Way, extra

FAMILY = Family(
    title="Meta-World",
    place=70,
    tasks=(
        "its 50 tasks: Reach, Push, DoorOpen, Assembly and others; MT10, MT50, ML10, ML45 in one "
        "pool"
    ),
    shown="MetaWorld/DrawerOpen-v3",
    equals=f"metaworld {VERSION} with MuJoCo {MUJOCO_3}, pictures included",
    drawn="MuJoCo, in the environment",
    package="envpool.families.metaworld",
    page="metaworld.md",
    ways=(
        extra("metaworld", "MuJoCo", f"mujoco=={MUJOCO_3}"),
        Way(
            f"pip install --no-deps metaworld=={VERSION}",
            "its models, [by themselves](metaworld.md#installing): pip refuses both at once",
        ),
    ),
    check="envpool.families.metaworld:load_settings",
    upstream={
        "gymnasium": GYMNASIUM,
        "metaworld": VERSION,
        "scipy": "1.17.1",
        "mujoco": MUJOCO_3,
    },
    also="imageio packaging",
    compared="metaworld [by itself](metaworld.md#installing)",
    opengl=True,
    beside="MuJoCo (Apache-2.0) and metaworld's models (MIT)",
    wheel=WHEEL,
    apart=True,
    tested_with="scipy==1.17.1 imageio packaging",
)
