"""What Atari's games refuse: options, and ROMs that are missing or wrong."""

import shutil
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
from atari_oracle import roms
from helpers import assert_same_results, run_python

ROMS = Path(roms.get_rom_path("pong")).parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty one, where ROMs are looked for."""
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path))
    return tmp_path


def make(task_id="Pong-v5", **options):
    return envpool.make(task_id, "gymnasium", num_envs=2, num_threads=1, **options)


def assert_refused(error, match, **options):
    """By everything that makes environments, and the spec too."""
    for maker in (
        lambda: envpool.make_spec("Pong-v5", **options),
        lambda: make(**options),
        lambda: gymnasium.make_vec("envpool/Pong-v5", 2, **options),
        lambda: gymnasium.make("envpool/Pong-v5", **options),
    ):
        with pytest.raises(error, match=match):
            maker()


# --- options ------------------------------------------------------------------------------------


def test_names_of_other_packages():
    """Gymnasium's, ALE's and Stable-Baselines3's."""
    others = {"screen_size": (60, 50), "grayscale_obs": False, "stack_size": 2, "frameskip": 3}
    ours = {"img_width": 60, "img_height": 50, "gray_scale": False, "stack_num": 2}
    spec = envpool.make_spec("Pong-v5", **others, clip_rewards=True)
    assert spec == envpool.make_spec("Pong-v5", **ours, frame_skip=3, reward_clip=True)
    assert spec.observation_space.shape == (6, 50, 60)
    assert spec.changed(screen_size=42).config.img_height == 42
    lines = spec.known.describe()
    assert lines["stack_num"].endswith("; also: stack_size, num_stack, n_stack")
    assert lines["img_width"].endswith("; both also: screen_size")
    assert envpool.make("Pong-v5", "gymnasium", n_stack=3).reset()[0].shape == (1, 3, 84, 84)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"stack_size": 2, "stack_num": 3}, "stack_size is 2 and stack_num is 3, expected one"),
        (
            {"screen_size": 84, "img_width": 84},
            "screen_size is 84 and img_width is 84, expected one",
        ),
        ({"screen_size": (1, 2, 3)}, r"screen_size is \(1, 2, 3\), expected a number or"),
    ],
)
def test_wrong_names_of_other_packages(options, match):
    assert_refused(TypeError, match, **options)


SIZES = ("stack_num", "frame_skip", "img_height", "img_width")


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        *(
            ({name: value}, ValueError, f"{name} is {value}, expected 1 <= {name} <= 1048576")
            for name in SIZES
            for value in (0, -1, 2**20 + 1, 2**31, 2**62)
        ),
        ({"noop_max": -1}, ValueError, "noop_max is -1, expected 0 <= noop_max"),
        ({"repeat_action_probability": 1.01}, ValueError, "probability is 1.01.*expected 0 <= "),
        ({"repeat_action_probability": -0.01}, ValueError, "probability is -0.01"),
        ({"repeat_action_probability": np.nan}, ValueError, "probability is nan"),
        ({"task": "no_game"}, ValueError, "task is 'no_game', expected the name of a game"),
        ({"task": "Pong"}, ValueError, "task is 'Pong'"),
        ({"task": "../roms/pong"}, ValueError, "task is '../roms/pong'"),
        ({"task": 3}, TypeError, "task is 3, expected a string"),
        ({"mode": 2}, ValueError, r"mode is 2, .* pong one of -1 \(the default\), 0, 1$"),
        ({"mode": 2**32}, ValueError, "mode is 4294967296"),  # not the same as 0
        ({"difficulty": 4}, ValueError, r"difficulty is 4, .* pong one of .*, 0, 1, 2, 3$"),
    ],
    ids=str,
)
def test_wrong_options(options, error, match):
    assert_refused(error, match, **options)


def test_wrong_options_of_one_environment():
    with pytest.raises(ValueError, match="mode is 9, expected for pong"):
        make(mode=[0, 9])
    with pytest.raises(ValueError, match="other spaces"):
        make(task=["pong", "breakout"])


# --- ROMs ---------------------------------------------------------------------------------------


def test_a_folder_of_copies_works(folder):
    shutil.copy(ROMS / "pong.bin", folder)
    make().reset()


def test_no_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(RuntimeError, match=r"ROM of the game pong is missing: .*nowhere is no fol"):
        make()


PONG, BREAKOUT = ((ROMS / f"{game}.bin").read_bytes() for game in ("pong", "breakout"))
# What is done at a ROM's path, and what is told then.
BAD_ROMS = {
    "nothing": (lambda path: None, r"of the game pong is missing: there is no file .*pong\.bin"),
    "a folder": (lambda path: path.mkdir(), r"there is no file .*pong\.bin"),
    "a link to nowhere": (
        lambda path: path.symlink_to(path.parent / "nowhere"),
        r"there is no file .*pong\.bin",
    ),
    "an empty file": (lambda path: path.touch(), r"pong\.bin cannot be read"),
    "another byte": (
        lambda path: path.write_bytes(PONG[:100] + bytes([PONG[100] ^ 1]) + PONG[101:]),
        r"pong\.bin is not the ROM that ALE supports as pong: its MD5 is \w{32}, ",
    ),
    "too short": (lambda path: path.write_bytes(PONG[:-1]), "its MD5 is"),
    "another game": (lambda path: path.write_bytes(BREAKOUT), "its MD5 is"),
}


@pytest.mark.parametrize("case", BAD_ROMS)
def test_bad_roms(case, folder, capfd):
    spoil, match = BAD_ROMS[case]
    spoil(folder / "pong.bin")
    for maker in (
        make,
        lambda: envpool.make("Pong-v5", "dm"),
        lambda: gymnasium.make_vec("envpool/Pong-v5", 2),
        lambda: gymnasium.make("envpool/Pong-v5"),
    ):
        with pytest.raises(RuntimeError, match=match):
            maker()
    envpool.make_spec("Pong-v5")
    assert capfd.readouterr() == ("", "")


def test_a_rom_that_goes_away(folder, capfd):
    """Games are loaded when a pool is made, and then need no file."""
    rom = folder / "pong.bin"
    shutil.copy(ROMS / "pong.bin", rom)
    here, late, early, reseeded = make(), make(), make(), make(seed=1)
    early.reset()
    rom.unlink()
    assert_same_results(late.reset(), here.reset())
    assert_same_results(early.reset(seed=1), reseeded.reset())
    early.step(np.zeros(2, np.int32))
    with pytest.raises(RuntimeError, match=r"there is no file .*pong\.bin"):
        make()
    assert capfd.readouterr() == ("", "")


def test_an_empty_variable_is_none(monkeypatch):
    monkeypatch.setenv("ALE_ROMS_DIR", "")
    make().reset()


# --- silence ------------------------------------------------------------------------------------


def test_nothing_is_printed():
    """By ours alone: ale_py prints a banner of its own, and the emulator a line for each game."""
    child = run_python(
        "import envpool, numpy as np\n"
        "for task_id in ('Pong-v5', 'AirRaid-v5', 'Breakout-v5'):\n"
        "    with envpool.make(task_id, 'gymnasium', num_envs=2) as pool:\n"
        "        pool.reset()\n"
        "        for _ in range(5): pool.step(np.zeros(2, int))\n"
        "        pool.reset(seed=3)\n"
        "try:\n"
        "    envpool.make('Pong-v5', 'gymnasium', mode=3)\n"
        "except ValueError: pass\n"
        "import sys; assert 'ale_py' not in sys.modules\n"
    )
    assert (child.returncode, child.stdout, child.stderr) == (0, "", "")
