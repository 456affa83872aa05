"""What a family's pages say that its code does not: its name, its origin, its picture."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """A family of environments.

    Attributes:
        title: Its name.
        guide: The page on it, below docs/.
        equal: What its observations, rewards, flags and infos are bit-equal to.
        shown: The task of its moving picture.
    """

    title: str
    guide: str
    equal: str
    shown: str


FAMILIES = {
    "classic_control": Family("Classic control", "rendering.md", "Gymnasium 1.4.0", "CartPole-v1"),
    "toy_text": Family(
        "Toy text",
        "toy_text.md",
        "Gymnasium 1.4.0; NChain and Catch follow the old gym's and bsuite's rules",
        "FrozenLake-v1",
    ),
    "box2d": Family("Box2D", "box2d.md", "Gymnasium 1.4.0", "LunarLander-v3"),
    "mujoco": Family(
        "MuJoCo", "mujoco.md", "Gymnasium 1.4.0 with MuJoCo 3.17.0 or 4.0.0", "HalfCheetah-v5"
    ),
    "dm_control": Family(
        "dm_control", "dm_control.md", "dm_control 1.0.50 with MuJoCo 3.17.0", "CheetahRun-v1"
    ),
    "robotics": Family(
        "Robotics",
        "robotics.md",
        "gymnasium-robotics 1.4.2 with MuJoCo 3.17.0 or 4.0.0",
        "FetchReach-v4",
    ),
    "metaworld": Family(
        "Meta-World",
        "metaworld.md",
        "metaworld 3.1.1 with MuJoCo 3.17.0",
        "MetaWorld/DrawerOpen-v3",
    ),
    "minigrid": Family(
        "MiniGrid and BabyAI", "minigrid.md", "minigrid 3.2.0", "MiniGrid-DoorKey-8x8-v0"
    ),
    "highway": Family("Driving", "highway.md", "highway-env 1.12.1", "highway-fast-v0"),
    "atari": Family(
        "Atari", "atari.md", "Gymnasium 1.4.0's preprocessing with ale-py 0.12.1", "Pong-v5"
    ),
    "procgen": Family("Procgen", "procgen.md", "procgen 0.10.7", "CoinrunEasy-v0"),
    "vizdoom": Family("ViZDoom", "vizdoom.md", "vizdoom 1.3.2", "DefendTheCenter-v1"),
    "gfootball": Family(
        "Google Research Football", "football.md", "gfootball 2.10.2", "gfootball/5_vs_5-v1"
    ),
}


def family_of(name: str) -> Family:
    """The entry of a family, or a plain one for a family that has none yet."""
    return FAMILIES.get(name) or Family(name, "architecture.md", "see its tests", "")
