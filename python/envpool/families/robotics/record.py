"""The record of Gymnasium-Robotics' tasks."""

from envpool.families.mujoco.record import WHEEL
from envpool.families.record import GYMNASIUM, MUJOCO, Family, extra
from envpool.families.robotics import VERSION

FAMILY = Family(
    title="Robotics",
    place=60,
    tasks=(
        "Fetch, the Shadow hand, Adroit, PointMaze, AntMaze, FrankaKitchen, with goals and "
        "`compute_reward`; 217 ids"
    ),
    shown="FetchReach-v4",
    equals=f"gymnasium-robotics {VERSION} with MuJoCo {MUJOCO}, pictures included",
    drawn="MuJoCo, in the environment",
    package="envpool.families.robotics",
    page="robotics.md",
    ways=(
        extra(
            "robotics",
            "MuJoCo and Gymnasium-Robotics' models",
            f"gymnasium-robotics=={VERSION}",
            "envpool-next[mujoco]",
        ),
    ),
    check="envpool.families.robotics:load_settings",
    upstream={"gymnasium": GYMNASIUM, "gymnasium-robotics": VERSION, "mujoco": MUJOCO},
    also="packaging",
    opengl=True,
    beside="MuJoCo (Apache-2.0), Gymnasium's and gymnasium-robotics' models (MIT)",
    wheel=WHEEL,
)
