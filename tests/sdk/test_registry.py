"""Which tasks may be registered, and by whom."""

import gymnasium
import pytest

import envpool
from envpool.tasks.registry import EnvRegistry, gymnasium_id

OURS = (
    "envpool.families.testing",
    "CountingEnvSpec",
    "CountingDMEnvPool",
    "CountingGymnasiumEnvPool",
)
THEIRS = ("walkenv", "WalkEnvSpec", "WalkDMEnvPool", "WalkGymnasiumEnvPool")
OTHERS = ("zoo.birds", *THEIRS[1:])


@pytest.fixture
def registry():
    """One that has nothing to do with that of the process, but has the same tasks of ours."""
    made = EnvRegistry()
    for task_id in ("CartPole-v1", "tabular/Blackjack-v0", "LunarLander-v2"):
        made.register(task_id, *OURS)
    return made


def test_the_same_again_is_nothing(registry):
    for _ in range(2):
        registry.register("walk/Walk-v0", *THEIRS, ["walk/Old-v0"], max_episode_steps=7)
    assert list(registry.tasks)[3:] == ["walk/Walk-v0", "walk/Old-v0"]
    registry.register("walk/Walk-v0", *THEIRS, ["walk/Other-v0"], max_episode_steps=7)
    assert "walk/Other-v0" in registry.tasks


@pytest.mark.parametrize("theirs", [OTHERS, THEIRS, OURS], ids=["zoo", "walkenv", "envpool"])
def test_another_task_of_the_same_id(registry, theirs):
    registry.register("walk/Walk-v0", *THEIRS, max_episode_steps=7)
    before = dict(registry.tasks)
    with pytest.raises(envpool.ArgumentError) as refusal:
        registry.register("zoo/New-v0", *theirs, ["walk/Walk-v0"], max_episode_steps=8)
    said = str(refusal.value)
    assert f"{theirs[0]}.{theirs[1]}(max_episode_steps=8) cannot be registered as" in said
    assert "because walkenv.WalkEnvSpec(max_episode_steps=7) is: choose another id" in said
    assert registry.tasks == before  # not half of its names


@pytest.mark.parametrize("task_id", ["Walk-v0", "CartPole-v2", "CartPole-v1", "Walk"])
def test_ids_of_others_need_a_namespace(registry, task_id):
    with pytest.raises(ValueError, match="has no namespace, expected namespace/Name-vN"):
        registry.register(task_id, *THEIRS)
    registry.register("Short-v0", *OURS)  # as code for EnvPool does with its own ids


@pytest.mark.parametrize("task_id", ["walk/Walk", "walk/Walk-v", "walk/Walk-v01", "walk/Walk-V1"])
def test_ids_of_others_need_a_version(registry, task_id):
    with pytest.raises(ValueError, match="has no version, expected namespace/Name-vN"):
        registry.register(task_id, *THEIRS)


@pytest.mark.parametrize(
    "task_id",
    [
        *("", " ", "/Walk-v0", "walk/", "walk/-v0", "a/b/c-v0", "walk:W/a-v0", "walk/W:a-v0"),
        *("walk/Wa lk-v0", "walk/Walk-v0\n", "wa.lk/Walk-v0", "walk/W\0-v0", "walk\\Walk-v0"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("package", [OURS, THEIRS], ids=["envpool", "walkenv"])
def test_ids_that_are_none(registry, package, task_id):
    with pytest.raises(ValueError, match="expected namespace/Name-vN"):
        registry.register(task_id, *package)
    with pytest.raises(ValueError, match="expected namespace/Name-vN"):
        registry.register("walk/Walk-v0", *package, [task_id])


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((3, *THEIRS), "a task's id is 3"),
        (("walk/Walk-v0", *THEIRS, "walk/Old-v0"), "aliases is 'walk/Old-v0', expected a sequence"),
        (("walk/Walk-v0", *THEIRS, [b"walk/Old-v0"]), "a task's id is b'walk/Old-v0'"),
    ],
)
def test_arguments_of_other_types(registry, arguments, match):
    with pytest.raises(TypeError, match=match):
        registry.register(*arguments)


@pytest.mark.parametrize(
    "task_id", ["walk/Walk-v0", "a-b/C.d_e-v12", "walk/Walk-v1-v2", "Ünal/Ä-v0"]
)
def test_what_gymnasium_makes_of_ids(registry, task_id):
    registry.register(task_id, *THEIRS)
    namespace, _, version = gymnasium.envs.registration.parse_env_id(gymnasium_id(task_id))
    assert namespace == "envpool"
    assert task_id.endswith(f"-v{version}")


def test_a_registry_of_somebodys_own(registry):
    """It is not Gymnasium's business."""
    registry.register("walk/Walk-v0", *THEIRS)
    assert "envpool/walk-Walk-v0" not in gymnasium.registry
