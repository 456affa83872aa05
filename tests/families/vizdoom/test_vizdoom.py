"""ViZDoom's scenarios beside Python's package vizdoom, driven as EnvPool drives it."""

import itertools
import shutil
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space

import envpool
from envpool.families.vizdoom.registration import name_of
from envpool.tasks.registry import registry
from helpers import assert_same_bytes, assert_same_results, begun
from vizdoom_oracle import Environments, Reward, action_set, close_pairs, make_pair, vizdoom

ALL = [name for name, task in registry.tasks.items() if "vizdoom" in task.import_path]
LACKS = {name: Environments().lack(name) for name in ALL}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Upstream's engines write where they are, and leave names in /dev/shm if not closed."""
    monkeypatch.chdir(tmp_path)
    yield
    close_pairs()


# --- the same bytes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"img_height": 50, "img_width": 77, "stack_num": 1},
        {"img_height": 240, "img_width": 320, "frame_skip": 1},
        {"use_inter_area_resize": False, "stack_num": 2},
        {"use_combined_action": True},
        {"use_combined_action": True, "force_speed": True},
        {"reward_config": {"HEALTH": [2.0, 3.0], "AMMO2": [0.1, 0.7]}},
        {"selected_weapon_reward_config": {2: 0.5, 7: 1.0}, "weapon_duration": 3},
        {"max_episode_steps": 20},
    ],
    ids=",".join,
)
def test_options(options):
    for task_id in ("DeadlyCorridor-v1", "HealthGathering-v1"):
        make_pair(task_id, **options).play_as_oracle(60)


def test_deltas():
    """Deathmatch has buttons of mouse-like movement."""
    deltas = {"TURN_LEFT_RIGHT_DELTA": [3, -10, 10], "LOOK_UP_DOWN_DELTA": [1, 0, 5]}
    pair = make_pair("Deathmatch-v1", use_combined_action=True, delta_button_config=deltas)
    pair.play_as_oracle(60)


@pytest.mark.parametrize("speed", [False, True])
@pytest.mark.parametrize("scenario", ["basic", "deathmatch", "cig", "deadly_corridor"])
def test_combinations(scenario, speed):
    """EnvPool's order, in EnvPool's spaces of as many numbers."""
    game = vizdoom.DoomGame()
    game.load_config(f"{vizdoom.scenarios_path}/{scenario}.cfg")
    actions = action_set(game.get_available_buttons(), speed, {})
    assert actions[0].count(1.0) == int(speed and "SPEED" in str(game.get_available_buttons()))
    spec = envpool.make_spec(f"{name_of(scenario)}-v1", use_combined_action=True, force_speed=speed)
    assert spec.action_space == gymnasium.spaces.Discrete(len(actions))
    assert spec.action_spec().num_values == len(actions)


@pytest.mark.parametrize(
    ("option", "names", "values"),
    [
        ("reward_config", vizdoom.GameVariable.__members__, [1, 1]),
        ("delta_button_config", [name for name in vizdoom.Button.__members__ if "DELTA" in name],
         [3, -1, 1]),
    ],
)  # fmt: skip
def test_names_of_buttons_and_variables(option, names, values):
    """Each of vizdoom's is known by its name, and nothing else."""
    for name in names:
        envpool.make_spec("Basic-v1", **{option: {name: values}})
    for name in ("NOTHING", "ATTACK"):
        with pytest.raises(envpool.ArgumentError, match=f"has '{name}', which is no"):
            envpool.make_spec("Basic-v1", **{option: {name: values}})


def test_health_below_zero_is_no_loss():
    names = ["DAMAGECOUNT", "HITCOUNT", "DEATHCOUNT", "HEALTH", "SELECTED_WEAPON"]
    names += ["SELECTED_WEAPON_AMMO"]
    reward = Reward(names, {"HEALTH": [1, -1]}, {}, 5)
    reward.begin(np.array([0, 0, 0, 80, 0, 0.0]))
    assert reward.step(np.array([0, 0, 0, -999900, 0, 0.0])) == 0
    assert reward.step(np.array([0, 0, 0, 70, 0, 0.0])) == -10


# --- pools --------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["absolute", "relative", "by the configuration"])
def test_own_scenarios(way, tmp_path, monkeypatch):
    """By the paths of their files, wherever the engine works."""
    (tmp_path / "mine").mkdir()
    for suffix in ("cfg", "wad"):
        shutil.copy(f"{vizdoom.scenarios_path}/basic.{suffix}", tmp_path / f"mine/basic.{suffix}")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine" if way == "absolute" else "./mine"
    options = {"cfg_path": f"{folder}/basic.cfg"}
    if way != "by the configuration":
        options["wad_path"] = f"{folder}/basic.wad"
    pool, known = envpool.make("VizdoomCustom-v1", **options), envpool.make("Basic-v1")
    assert_same_results(pool.reset(), known.reset())
    assert_same_results(pool.step(np.ones((1, 3))), known.step(np.ones((1, 3))))


def test_what_configurations_do_not_decide(tmp_path):
    """The engine, its settings, and an order of pixels that nobody here expects."""
    text = Path(vizdoom.scenarios_path, "basic.cfg").read_text()
    text = text.replace("CRCGCB", "RGB24")
    path = tmp_path / "own.cfg"
    path.write_text(f"{text}\nvizdoom_path = /bin/false\ndoom_config_path = {tmp_path}/x.ini\n")
    pool = envpool.make("Basic-v1", cfg_path=str(path))
    known = envpool.make("Basic-v1")
    assert_same_results(pool.reset(), known.reset())


def test_episodic_life():
    """Who dies in a game of a server goes on in the same game; a state has the lives before."""
    options = {"game_args": "-host 1 +sv_forcerespawn 1", "max_episode_steps": 2000, "seed": 3}
    pools = [envpool.make("HealthGathering-v1", episodic_life=True, **options) for _ in range(3)]
    nothing = np.zeros((1, 3))
    pools[0].reset()
    lives, alive = [], 0
    while len(lives) < 3:
        *_, terminated, truncated, info = pools[0].step(nothing)
        assert not truncated[0]
        alive += info["HEALTH"][0] > 0
        if terminated[0]:
            lives.append(int(info["elapsed_step"][0]))
    assert lives[0] > 50
    assert lives[1:] == [lives[0] + 1, lives[0] + 2]  # until the engine lets the player come back
    for pool, other in itertools.pairwise(pools):
        other.set_state(pool.get_state())
        for _ in range(3):
            assert_same_results(pool.step(nothing), other.step(nothing))


def test_recordings_of_the_engine():
    with tempfile.TemporaryDirectory() as folder:
        check_recordings(Path(folder))


def check_recordings(tmp_path):
    pool = envpool.make("Basic-v1", seed=3, lmp_save_dir=str(tmp_path))
    other = envpool.make("Basic-v1", seed=3)
    for _ in range(2):
        assert_same_results(pool.reset(), other.reset())
        for _ in range(5):
            assert_same_results(pool.step(np.ones((1, 3))), other.step(np.ones((1, 3))))
    pool.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["seed_3_episode_0.lmp", "seed_3_episode_1.lmp"]
    replay = vizdoom.DoomGame()
    replay.set_doom_config_path("/dev/null")
    replay.load_config(f"{vizdoom.scenarios_path}/basic.cfg")
    replay.set_window_visible(False)
    replay.init()
    replay.replay_episode(str(tmp_path / names[0]))
    assert replay.get_state().game_variables.tolist() == [50.0]
    replay.close()


# --- snapshots and pictures ---------------------------------------------------------------------


@pytest.mark.parametrize("task_id", ["Basic-v1", "VizdoomBasic-v1"])
def test_pools_go_on_after_close(task_id):
    """As all do, with another engine that gets to the same place."""
    pool, other = (envpool.make(task_id, seed=5) for _ in range(2))
    actions = Environments().actions(batch_space(pool.action_space, 1), 2)
    for each in (pool, other):
        each.reset()
    for step in range(12):
        action = next(actions)
        if step == 8:
            pool.close()
        assert_same_results(pool.step(action), other.step(action))


def test_pictures():
    """The engine's screen in its own size, and in others; they change nothing."""
    pool, unseen = (envpool.make("Basic-v1", seed=5, render_mode="rgb_array") for _ in range(2))
    small = envpool.make(
        "Basic-v1", seed=5, render_mode="rgb_array", render_width=84, render_height=84
    )
    theirs = Environments().make("Basic-v1", 5, render_mode="rgb_array")
    theirs.reset(seed=5)
    for each in (pool, unseen, small):
        obs, _ = each.reset()
    for _ in range(5):
        picture = pool.render()
        assert picture.shape == (1, 240, 320, 3)
        assert_same_bytes(picture[0], theirs.render())
        assert_same_bytes(small.render()[0].transpose(2, 0, 1), obs[0, -3:])
        action = np.ones((1, 3))
        assert_same_results(pool.step(action), unseen.step(action))
        obs, *_ = small.step(action)
        theirs.step(action[0])


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"cfg_path": "/no/basic.cfg"}, "cfg_path is '/no/basic.cfg', and there is no such file"),
        ({"wad_path": "/no/basic.wad"}, "wad_path is '/no/basic.wad', and there is no such file"),
        ({"wad_path": __file__}, "wad_path is '.*test_vizdoom.py', which is no WAD"),
        ({"iwad_path": __file__}, "iwad_path is '.*test_vizdoom.py', which is no WAD"),
        ({"vzd_path": "/no/engine"}, "vzd_path is '/no/engine', and there is no such file"),
        ({"cfg_path": "/dev/null"}, "cfg_path is '/dev/null', and there is no such file"),
        ({"cfg_path": ""}, "cfg_path is empty, expected a scenario's configuration"),
        ({"map_id": "map77"}, "map_id is 'map77', which is not in .*basic.wad nor .*freedoom2.wad"),
        ({"reward_config": {"HEALTH": [1]}}, "reward_config has 1 numbers for HEALTH, expected 2"),
        ({"reward_config": {"AMMO11": [1, 1]}}, "'AMMO11', which is no game variable"),
        ({"selected_weapon_reward_config": {10: 1.0}}, "a weapon 10, expected 0 to 9"),
        ({"reward_config": {"HEALTH": [np.nan, 1]}}, "'nan' for HEALTH, expected a number"),
        ({"selected_weapon_reward_config": {1.5: 1.0}}, "a weapon 1.5, expected 0 to 9"),
        ({"delta_button_config": {"ATTACK": [1]}}, "1 numbers for ATTACK, expected 3"),
        ({"delta_button_config": {"LOOK_UP_DOWN_DELTA": [2.5, 0, 1]}}, "values for LOOK_UP_DOWN"),
        ({"delta_button_config": {"LOOK_UP_DOWN_DELTA": [1e9, 0, 1]}}, "than 1 to 1000"),
        ({"map_id": "PLAYPAL"}, "map_id is 'PLAYPAL', which is not in"),
        ({"cfg_path": "basicc.cfg"}, "cfg_path: 'basicc.cfg' is no file of a scenario of vizdoom"),
        ({"wad_path": "x" * 5000}, "wad_path: 'x*.*x' is no file of a scenario of vizdoom's"),
        ({"cfg_path": "/proc/self/mem"}, "cfg_path is '/proc/self/mem', which cannot be read"),
        (
            {"cfg_path": __file__},
            "cfg_path: .*test_vizdoom.py has lines that ViZDoom does not know",
        ),
        ({"lmp_save_dir": "x" * 5000}, "lmp_save_dir is 'x*.*x', and there is no such folder"),
        ({"lmp_save_dir": "/proc"}, "lmp_save_dir is '/proc', where no file can be made"),
        ({"lmp_save_dir": f"/tmp{'/.' * 40}"}, "expected a path of at most 60 characters"),
        ({"frame_skip": 0}, "frame_skip"),
        ({"img_width": 0}, "img_width"),
        ({"lmp_save_dir": "/no"}, "lmp_save_dir is '/no', and there is no such folder"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_options_that_do_not_fit(options, match):
    with pytest.raises(envpool.ArgumentError, match=match):
        envpool.make("Basic-v1", **options)


@pytest.mark.parametrize("value", [3, "HEALTH", {"HEALTH": "much"}, {"HEALTH": [[1, 2]]}])
def test_dicts_that_are_none(value):
    with pytest.raises(TypeError, match="reward_config"):
        envpool.make("Basic-v1", reward_config=value)


def test_configurations_without_buttons(tmp_path):
    path = tmp_path / "none.cfg"
    path.write_text("screen_resolution = RES_320X240\n")
    with pytest.raises(envpool.ArgumentError, match=r"none.cfg has no available_buttons"):
        envpool.make("VizdoomCustom-v1", cfg_path=str(path))
    path.write_text("available_buttons =\n{\nATTACK\nFLY\n}\n")
    with pytest.raises(envpool.ArgumentError, match=r"none.cfg has lines that ViZDoom does not"):
        envpool.make("VizdoomCustom-v1", cfg_path=str(path))


@pytest.mark.parametrize("action", [-1, 6, 10**9, np.nan])
def test_combinations_that_there_are_not(action):
    pool = begun(envpool.make("Basic-v1", use_combined_action=True))
    with pytest.raises((envpool.EnvironmentFailure, ValueError), match=r"expected 0 to|action"):
        pool.step(np.array([action]))


def test_scenarios_of_the_other_package():
    if not LACKS["D1Basic-v1"]:
        pytest.skip("envpool-assets is installed")
    with pytest.raises(envpool.ArgumentError, match=r"D1_basic.cfg.*pip install .*vizdoom-maps"):
        envpool.make("D1Basic-v1")


def test_too_many_combinations(tmp_path):
    path = tmp_path / "all.cfg"
    unsupported = ("DELTA", "ACTIVATE")
    names = [name for name in vizdoom.Button.__members__ if not any(map(name.count, unsupported))]
    path.write_text("available_buttons =\n{\n" + "\n".join(names) + "\n}\n")
    envpool.make_spec("VizdoomCustom-v1", cfg_path=str(path))
    with pytest.raises(envpool.ArgumentError, match="combinations of these buttons, expected"):
        envpool.make_spec("VizdoomCustom-v1", cfg_path=str(path), use_combined_action=True)
    with pytest.raises(envpool.ArgumentError, match="37 buttons to combine, expected at most 20"):
        envpool.make_spec("VizdoomBasic-v1", cfg_path=str(path))
