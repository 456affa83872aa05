"""The record of Gymnasium's MuJoCo tasks."""

from envpool.families.record import GYMNASIUM, MUJOCO, Family, Wheel, extra

# That of the other families on MuJoCo, too, whose library is in the package of that name.
WHEEL = Wheel(files=r"(gym/)?compile_model-[\d.]+", links=r"libmujoco\.so\.[\d.]+")
FAMILY = Family(
    title="MuJoCo",
    place=40,
    tasks=(
        "Ant, HalfCheetah, Hopper, Humanoid, HumanoidStandup, InvertedDoublePendulum, "
        "InvertedPendulum, Pusher, Reacher, Swimmer, Walker2d; three versions of each"
    ),
    shown="HalfCheetah-v5",
    equals=f"Gymnasium {GYMNASIUM} with MuJoCo {MUJOCO}, pictures included",
    drawn="MuJoCo, in the environment",
    package="envpool.families.mujoco.gym",
    page="mujoco.md",
    ways=(extra("mujoco", "MuJoCo", "mujoco>=3.17.0,<=4.0.0"),),
    check="envpool.families.mujoco.engine:load_engine",
    upstream={"gymnasium": GYMNASIUM, "mujoco": MUJOCO},
    also="imageio packaging",
    opengl=True,
    beside="MuJoCo (Apache-2.0) and Gymnasium's models (MIT)",
    wheel=WHEEL._replace(most_bytes=600_000),  # models of one's own included
)
