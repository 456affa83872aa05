"""``python -m envpool play``: the keys, the window without a screen, and what is printed."""

import re
import sys
import textwrap
from types import SimpleNamespace
from unittest import mock

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from envpool.cli.keyboard import Keyboard, keyboard_of
from envpool.families.box2d import keys as box2d
from envpool.families.classic_control import keys as classic_control
from envpool.families.minigrid import keys as minigrid
from envpool.families.procgen import keys as procgen
from envpool.families.toy_text import keys as toy_text
from helpers import needs_ale, run_python
from test_cli import assert_one_line, run

pygame = pytest.importorskip("pygame")


@pytest.fixture(autouse=True)
def _no_screen_and_own_modules(screen, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("pushes", "wrong_actions"):
        sys.modules.pop(name, None)


class Player:
    """Stands for whoever presses keys; each frame has its events."""

    def __init__(self, monkeypatch):
        self.frames = []
        self.times = []
        self.shown = []
        self.clock = SimpleNamespace(tick=self.times.append)
        monkeypatch.setattr(pygame.event, "get", self.get)
        monkeypatch.setattr(pygame.time, "Clock", lambda: self.clock)

    def get(self):
        self.shown.append(pygame.surfarray.array3d(pygame.display.get_surface()))
        return self.frames.pop(0) if self.frames else [pygame.event.Event(pygame.QUIT)]

    def press(self, *names):
        return [down(name) for name in names]

    def hold(self, name, frames):
        self.frames += [[down(name)], *[[] for _ in range(frames - 1)]]


def down(name):
    return pygame.event.Event(pygame.KEYDOWN, key=code(name))


def up(name):
    return pygame.event.Event(pygame.KEYUP, key=code(name))


def code(name):
    return getattr(pygame, f"K_{name.upper() if len(name) > 1 else name}")


@pytest.fixture
def player(monkeypatch):
    return Player(monkeypatch)


def rollout(task, actions, seed, **options):
    """The pictures and the return of these actions."""
    pool = envpool.make_gymnasium(task, seed=seed, render_mode="rgb_array", **options)
    pool.reset()
    frames, total = [pool.render()[0]], 0.0
    for action in actions:
        total += float(pool.step(np.array([action]))[1][0])
        frames.append(pool.render()[0])
    return frames, total


def assert_shown(player, frames):
    assert len(player.shown) == len(frames)
    for shown, frame in zip(player.shown, frames, strict=True):
        np.testing.assert_array_equal(shown.swapaxes(0, 1), frame)


def test_held_keys_count_in_every_step(player):
    player.hold("right", 4)
    player.frames += [[up("right")], [], [down("left"), up("left")], []]
    exit_code, output = run("play", "MountainCar-v0", "--seed", "3", "--zoom", "1")
    frames, total = rollout("MountainCar-v0", [2, 2, 2, 2, 2, 1, 0, 1], 3)
    assert exit_code == 0
    assert_shown(player, frames)
    assert f"episode 1: return {total:g} in 8 steps so far" in output
    assert set(player.times) == {30}  # its pictures per second


def test_a_task_that_needs_a_key_waits(player):
    player.frames += [[], [], *[player.press("left"), []]]
    exit_code, output = run("play", "CartPole-v1", "--seed", "0", "--zoom", "1")
    assert exit_code == 0
    # The key stays down.
    frames, _ = rollout("CartPole-v1", [0, 0], 0)
    assert_shown(player, [frames[0], *frames[:1] * 2, *frames[1:]])
    assert "without a key the game waits" in output
    assert set(player.times) == {50}


def test_continuous_actions(player):
    player.frames += [player.press("left"), [], player.press("right"), [up("left")], []]
    _, output = run("play", "Pendulum-v1", "--seed", "1", "--zoom", "1")
    # Both keys cancel out; a key that is released still counts in its last frame.
    frames, _ = rollout("Pendulum-v1", np.float32([[2], [2], [0], [0], [-2]]), 1)
    assert_shown(player, frames)
    assert "in 5 steps so far" in output


def test_escape_ends_it(player):
    player.frames += [[], [], player.press("escape"), []]
    exit_code, output = run("play", "Pendulum-v1")
    assert exit_code == 0
    assert "in 2 steps so far" in output
    assert not pygame.display.get_init()


def test_returns_of_each_episode(player):
    player.frames += [[] for _ in range(100)]
    options = ["-o", "max_episode_steps=4", "--max-steps", "10"]
    exit_code, output = run("play", "MountainCar-v0", *options)
    assert exit_code == 0
    assert output.splitlines()[-3:] == [
        "episode 1: return -4 in 4 steps",
        "episode 2: return -4 in 4 steps",
        "episode 3: return -2 in 2 steps so far",
    ]


@pytest.mark.parametrize(
    ("zoom", "size"), [([], (600, 400)), (["--zoom", "0.5"], (300, 200)), (["--zoom", "2"], None)]
)
def test_zoom(player, zoom, size):
    run("play", "CartPole-v1", *zoom)
    assert player.shown[0].shape[:2] == (size or (1200, 800))


def test_small_pictures_are_magnified(player):
    run("play", "CartPole-v1", "-o", "width=60", "-o", "height=40")
    assert player.shown[0].shape[:2] == (720, 480)


def test_a_policy_of_ones_own(tmp_path, monkeypatch, player):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pushes.py").write_text("def right(obs):\n    return [2] * len(obs)\n")
    player.frames += [[] for _ in range(3)]
    options = ["--policy", "pushes:right", "--seed", "5", "--zoom", "1"]
    run("play", "MountainCar-v0", *options)
    assert_shown(player, rollout("MountainCar-v0", [2, 2, 2], 5)[0])


def test_a_policy_from_a_file(tmp_path, player):
    code = """
    def load(name):
        action = {"right": 2}[name]
        def act(obs, info):
            assert info["elapsed_step"].shape == (1,)
            return [action] * len(obs)
        return act
    """
    path = tmp_path / "from_a_file.py"
    path.write_text(textwrap.dedent(code))
    player.frames += [[] for _ in range(3)]
    options = ["--policy", f"{path}:load:right", "--seed", "5", "--zoom", "1"]
    run("play", "MountainCar-v0", *options)
    assert_shown(player, rollout("MountainCar-v0", [2, 2, 2], 5)[0])
    code, output = run("play", "MountainCar-v0", "--policy", f"{tmp_path}/no.py:load:left")
    assert (code, "--policy: there is no file" in output) == (1, True)
    code, output = run("play", "MountainCar-v0", "--policy", "math:sqrt:left")
    assert (code, "must be real number, not str" in output) == (2, True)


def test_actions_that_are_not_allowed_are_not_taken(player):
    with envpool.make_gymnasium("testing/Masked-v0", seed=3) as pool:
        mask = pool.reset()[0]["action_mask"][0]
    forbidden, allowed = mask.argmin(), mask.argmax()
    assert mask[forbidden] == 0
    player.hold(str(forbidden), 3)
    player.frames += [[up(str(forbidden)), down(str(allowed))]]
    exit_code, output = run("play", "testing/Masked-v0", "--seed", "3", "--max-steps", "1")
    assert exit_code == 0
    assert f"{allowed}  action {allowed}" in output  # the key and its meaning
    assert "episode 1: return 1 in 1 steps so far" in output


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["CartPol-v1"], 2, "there is no task 'CartPol-v1'; did you mean 'CartPole-v1'"),
        (["CartPole-v1", "-o", "gravty=1"], 2, "no option 'gravty'"),
        (
            ["CartPole-v1", "-o", "num_envs=2"],
            2,
            "got multiple values for keyword argument 'num_envs'",
        ),
        (["CartPole-v1", "-o", "seed=2"], 2, "got multiple values for keyword argument 'seed'"),
        (["CartPole-v1", "--policy", "best"], 2, "'best', expected random or MODULE:FUNCTION"),
        (["CartPole-v1", "--policy", "os:nothing"], 2, "os has no function 'nothing'"),
        (
            ["CartPole-v1", "--policy", "os:getenv:HOMELESS"],
            2,
            "getenv returned None, not a function",
        ),
        (["CartPole-v1", "--policy", "no_such:thing"], 1, "No module named 'no_such'"),
        (["testing/Counting-v0"], 2, "Counting cannot be rendered"),
        (["testing/Faulty-v0"], 2, "no keys for testing/Faulty-v0: watch it with --policy random"),
    ],
)
def test_errors_are_one_line(arguments, exit_code, message):
    assert_one_line(exit_code, message, "play", *arguments)


def test_without_keys_a_policy_plays():
    options = ["--policy", "random", "--max-steps", "3"]
    assert run("play", "testing/Canvas-v0", *options)[0] == 0


def test_several_players_are_watched():
    """There are no keys for them; a return is that of all together."""
    code, output = run("play", "testing/Players-v0")
    assert code == 2
    assert (
        "error: there are no keys for testing/Players-v0: watch it with --policy random" in output
    )
    code, output = run("play", "testing/Players-v0", "--policy", "random", "--max-steps", "10")
    assert code == 0
    assert "escape ends it" in output and "waits" not in output
    lengths = re.findall(r"return [1-9]\d* in (\d+) steps", output)
    assert lengths == ["7", "3"]


def test_the_size_of_pictures_that_python_draws(player):
    """Nobody knows it before the first one."""
    player.frames += [[], []]
    arguments = ["--policy", "random", "-o", "num_workers=0", "--seed", "2", "--zoom", "1"]
    exit_code, output = run("play", "gymnasium:CartPole-v1", *arguments)
    assert exit_code == 0, output
    env = gymnasium.make("CartPole-v1", render_mode="rgb_array")
    env.reset(seed=2)
    np.testing.assert_array_equal(player.shown[0].swapaxes(0, 1), env.render())


def test_a_wrong_action_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong_actions.py").write_text("def act(obs):\n    return [9]\n")
    code, output = run("play", "MountainCar-v0", "--policy", "wrong_actions:act")
    assert code == 2
    assert output.splitlines()[-1].startswith("error: action")


def test_without_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    code, output = run("play", "testing/Canvas-v0", "--policy", "random")
    assert code == 1
    assert 'error: this needs pygame: pip install "envpool-next[render]"' in output


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a display of their own")
def test_windows_that_are_too_large():
    """Which size that is depends on the display."""
    refuse = mock.Mock(side_effect=pygame.error("too large"))
    with mock.patch.object(pygame.display, "set_mode", refuse):
        code, output = run("play", "CartPole-v1", "--zoom", "2")
    assert code == 1
    assert "error: no window of 1200 x 800 pixels: too large" in output


@pytest.mark.slow
def test_without_a_display():
    done = run_python(
        """
import os
for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR"):
    os.environ.pop(name, None)
from envpool.cli import app
app(["play", "Pendulum-v1"])
"""
    )
    assert done.returncode == 1
    assert "error: SDL found no display" in done.stderr
    assert "python -m envpool film needs none" in done.stderr


# --- the keys themselves ----------------------------------------------------------------------


TABLES = [
    *(classic_control._KEYS, toy_text._KEYS, box2d._DISCRETE, box2d._CONTINUOUS),
    {"MiniGrid": minigrid._KEYS, "Procgen": procgen._KEYS},
]


@pytest.mark.parametrize("table", TABLES)
def test_keys_are_known_to_pygame(table):
    pygame.display.init()
    names = {key for board in table.values() for keys in board for key in keys.split(" + ")}
    for name in names - {""}:
        assert pygame.key.name(pygame.key.key_code(name)) == name


@pytest.mark.parametrize("task", [*envpool.list_all_envs()])
@pytest.mark.one_in(24)
def test_every_action_has_a_key(task):
    try:
        spec = envpool.make_spec(task)
        board = keyboard_of(spec)
    except ImportError as error:
        pytest.skip(str(error))
    except ValueError as error:
        assert "watch it with --policy random" in str(error)
        assert not any(spec.env_type.name in table for table in TABLES)
        return
    actions = [board.action(keys.split(" + "), spec) for keys in board.keys]
    if isinstance(spec.action_space, spaces.Discrete):
        assert sorted({int(action[0]) for action in actions}) == list(range(spec.action_space.n))
    for action in actions:
        assert action.shape == (1, *spec.action_space.shape)
        assert action.dtype == spec.action_array_spec["action"].dtype
        assert spec.action_space.contains(spec.action_space.dtype.type(action[0]))


def fake_game(task, full=False):
    return SimpleNamespace(
        id="Pong-v5",
        known=SimpleNamespace(name="Atari"),
        spaces=SimpleNamespace(most_players=1),
        config=SimpleNamespace(task=task, full_action_space=full),
        action_space=spaces.Discrete(18 if full else 6),
        action_array_spec={"action": SimpleNamespace(dtype=np.dtype("int32"))},
    )


@needs_ale
def test_keys_of_games():
    pong, all_keys = fake_game("pong"), fake_game("pong", full=True)
    keys = keyboard_of(pong)
    # NOOP FIRE RIGHT LEFT RIGHTFIRE LEFTFIRE
    for held, action in [
        ([], 0),
        (["space"], 1),
        (["right"], 2),
        (["left"], 3),
        (["right", "space"], 4),
        (["space", "left"], 5),
        (["up"], 2),  # its paddle moves up and down
        (["down", "space"], 5),
        (["x", "right"], 2),
    ]:
        assert keys.action(held, pong).tolist() == [action]
    keys = keyboard_of(all_keys)
    assert keys.action(["up", "left", "space"], all_keys).tolist() == [15]
    assert keys.action(["down", "left"], all_keys).tolist() == [9]


@needs_ale
def test_a_game_without_an_idle_action_waits():
    game = fake_game("backgammon")
    keys = keyboard_of(game)
    assert keys.action([], game) is None
    assert keys.action(["left"], game).tolist() == [2]


def test_games_without_ale(monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(ImportError, match=r"\[atari\].* or watch the game with --policy"):
        keyboard_of(fake_game("pong"))


@pytest.mark.parametrize(
    ("board", "continuous"),
    [
        (box2d._DISCRETE["LunarLanderDiscrete"], False),
        (box2d._CONTINUOUS["LunarLanderContinuous"], True),
    ],
)
def test_the_lander_turns_where_the_arrow_points(board, continuous):
    pytest.importorskip("Box2D", reason="needs box2d")
    tilts = {}
    for key in ("left", "right"):
        env = gymnasium.make("LunarLander-v3", continuous=continuous)
        spec = SimpleNamespace(
            action_space=env.action_space,
            action_array_spec={"action": SimpleNamespace(dtype=env.action_space.dtype)},
        )
        obs, _ = env.reset(seed=1)
        start = obs[4]
        for _ in range(15):
            obs, *_ = env.step(Keyboard(board).action([key], spec)[0])
        tilts[key] = obs[4] - start
    assert tilts["left"] > tilts["right"]  # counter-clockwise
