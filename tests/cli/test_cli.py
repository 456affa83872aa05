"""The command line: what it prints and how it exits."""

import importlib.metadata
import json
import re
import subprocess
import sys
import textwrap
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium import spaces
from typer.testing import CliRunner

import envpool
from envpool import machine
from envpool.cli import app
from envpool.cli.arguments import parse_options
from envpool.cli.bench import worker_counts
from envpool.cli.tasks import description, family, summary
from envpool.films.policies import random_action
from envpool.flavours import recording_header as header
from envpool.tasks.registry import Task, registry
from helpers import skipping_without_engine

# Without those for tests, which another test module may have registered.
TASKS = [task for task in envpool.list_all_envs() if not task.startswith("testing/")]


def run(*arguments):
    """The exit code and all that was printed."""
    result = CliRunner().invoke(app, arguments)
    unexpected = result.exception and not isinstance(result.exception, SystemExit)
    assert not unexpected, result.exception
    return result.exit_code, result.output


def assert_one_line(exit_code, message, *arguments):
    """The command ends so, and says this in a line."""
    code, output = run(*arguments)
    assert (code, len(output.splitlines())) == (exit_code, 1), output
    assert message in output


def words(output, first):
    """The words of the only line that starts with this word."""
    (line,) = [line.split() for line in output.splitlines() if line.split()[:1] == [first]]
    return line


def python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, encoding="utf-8", check=False
    )


def test_module_runs_and_piped_ids_are_whole():
    done = python("-m", "envpool", "list")
    assert (done.returncode, done.stderr) == (0, "")
    printed = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    assert set(TASKS) <= printed


@pytest.mark.slow
def test_no_file_is_read_in_the_encoding_of_the_locale(tmp_path):
    code = f"""
    import contextlib, sys, envpool
    pool = envpool.make("CartPole-v1", "gymnasium", num_envs=1, record={str(tmp_path / "rec")!r})
    pool.close()
    envpool.replay({str(tmp_path / "rec")!r})
    from envpool.cli import main
    for command in ("list", "doctor"):
        sys.argv = ["envpool", command]
        with contextlib.suppress(SystemExit):
            main()
    """
    strict = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")
    done = python(*strict, "-c", textwrap.dedent(code))
    assert "EncodingWarning" not in done.stdout + done.stderr
    assert "CartPole-v1" in done.stdout  # of the list
    assert "envpool-next" in done.stdout  # of the doctor


def test_envpool_imports_no_heavy_package():
    heavy = ("typer", "rich", "torch", "pygame", "imageio")
    done = python("-c", f"import envpool, sys; print([m for m in {heavy} if m in sys.modules])")
    assert done.stdout.strip() == "[]"


def test_help_has_no_pictures():
    """Rich takes what is between colons for their names."""
    for command in app.registered_commands:
        _, output = run(command.name, "--help")
        assert not re.search("[\U0001f000-\U0001ffff]", output), command.name


def test_version(monkeypatch, tmp_path, capsys):
    done = python("-m", "envpool", "--version")
    assert done.stdout == f"envpool-next {envpool.__version__}\n"
    published = importlib.metadata.version("envpool-next")
    for content, expected in (("85c71f0.dirty\n", f"{published}+g85c71f0.dirty"), ("", published)):
        (tmp_path / "commit.txt").write_text(content)
        monkeypatch.setattr(machine, "__file__", str(tmp_path / "machine.py"))
        assert machine.own_version() == expected


def test_a_recording_tells_the_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(header, "commit", lambda: "85c71f0")
    envpool.make("CartPole-v1", "gymnasium", record=tmp_path / "a").close()
    assert json.loads((tmp_path / "a" / "header.json").read_text())["commit"] == "85c71f0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as that it was made with other versions
        envpool.replay(tmp_path / "a")


def test_no_command_shows_help():
    _, output = run()
    assert all(command in output for command in ("list", "show", "bench", "play", "film"))


def test_list_has_the_facts_of_a_task():
    exit_code, output = run("list", "CartPole-v1")
    assert exit_code == 0
    row = words(output, "CartPole-v1")
    assert row[1:] == ["Box(4,)", "Discrete(2)", "500", "475"]
    assert "classic_control" in output.splitlines()


def test_list_marks_what_a_task_lacks():
    assert words(run("list", "classic_control")[1], "Pendulum-v1")[4] == "-"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("pendulum-v1", ["Pendulum-v1"]),
        ("mountaincar", ["MountainCar-v0", "MountainCarContinuous-v0"]),
        ("MOUNTAIN*-v0", ["MountainCar-v0", "MountainCarContinuous-v0"]),
        ("acro?ot-v[0-9]", ["Acrobot-v1"]),
        ("Box2D", [task_id for task_id in TASKS if family(task_id) == "box2d"]),
    ],
)
def test_list_selects_by_substring_glob_or_family(pattern, found):
    exit_code, output = run("list", pattern)
    table, _, _ = output.partition("\n\n")
    assert exit_code == 0
    assert [line.split()[0] for line in table.splitlines()[3:]] == found


@pytest.mark.slow
def test_list_has_the_core_families_first():
    families = run("list", "*a*")[1].split("\n\n")[:-1]
    names = [each.splitlines()[0] for each in families]
    assert names[:3] == ["classic_control", "toy_text", "box2d"]
    assert len(names) == len(set(names)) > 3


@pytest.mark.parametrize(
    ("columns", "pattern"), [(80, "CartPole-v1"), pytest.param(100, "*", marks=pytest.mark.slow)]
)
def test_list_has_a_line_for_each_task(monkeypatch, columns, pattern):
    """In a terminal that is narrower than what is piped."""
    monkeypatch.setattr("envpool.cli.console._PIPED_WIDTH", columns)
    output = run("list", pattern)[1]
    lines = [line for line in output.splitlines() if not line.startswith("unavailable")]
    assert max(map(len, lines)) <= columns
    first_words = [line.split(" ")[0] for line in lines]
    tasks = TASKS if pattern == "*" else ["CartPole-v1"]
    assert set(tasks) <= set(first_words) and "…" not in "".join(first_words)
    families = {family(task) for task in envpool.list_all_envs()}
    assert len(first_words) <= len(envpool.list_all_envs()) + 4 * len(families) + 1


def test_list_shortens_spaces():
    row = " ".join(words(run("list", "FrankaKitchen")[1], "FrankaKitchen-v1"))
    assert "…" in row and len(row) < 120


@pytest.mark.parametrize("pattern", ["cartpoel", "cartpoel*"])
def test_list_without_match_names_near_tasks(pattern):
    exit_code, output = run("list", pattern)
    assert exit_code == 1
    assert f"no task matches '{pattern}'" in output
    assert "'CartPole-v1'" in output


@pytest.mark.slow
def test_list_survives_a_family_that_cannot_be_made(monkeypatch):
    task = Task("envpool.no_such_family", "Spec", "DM", "Gymnasium", {})
    monkeypatch.setitem(registry.tasks, "Missing-v0", task)
    exit_code, output = run("list")
    assert exit_code == 0
    assert "unavailable: No module named 'envpool.no_such_family'" in output
    assert "no_such_family" in output.splitlines()
    assert output.count("'envpool.no_such_family'") == 1
    assert words(output, "CartPole-v1")[1] == "Box(4,)"


@pytest.mark.parametrize("command", ["show", "check", "bench"])
def test_a_task_that_is_registered_with_a_wrong_class(monkeypatch, command):
    classes = ("CartPolEnvSpec", "CartPolDMEnvPool", "CartPolGymnasiumEnvPool")
    task = Task("envpool.families.classic_control", *classes, {}, {})
    monkeypatch.setitem(registry.tasks, "Wrong-v0", task)
    exit_code, output = run(command, "Wrong-v0")
    assert exit_code == 1
    message = (
        "error: Wrong-v0 is registered with the class CartPolEnvSpec, which does not exist: module "
        "'envpool.families.classic_control' has no attribute 'CartPolEnvSpec': the native library "
        "envpool.families.classic_control._classic_control has no environment 'CartPol', but "
    )
    assert output.startswith(message)
    assert "CartPole, " in output
    assert "did you mean 'CartPole'" in output
    assert output.count("\n") == 1
    with pytest.raises(ImportError, match="is registered with the class CartPolEnvSpec"):
        envpool.make("Wrong-v0", "gymnasium")


def test_show_has_spaces_and_limits():
    exit_code, output = run("show", "CartPole-v1")
    assert exit_code == 0
    lines = [" ".join(line.split()) for line in output.splitlines()]
    for expected in (
        "observation space Box(4,) float32",
        "0 in [-4.8, 4.8]",
        "1 in [-inf, inf]",
        "action space Discrete(2)",
        "reward threshold 475",
        "time limit 500 steps",
    ):
        assert expected in lines


def test_show_has_options_the_own_ones_first():
    spec = envpool.make_spec("CartPole-v1")
    _, output = run("show", "CartPole-v1")
    for name, text in spec.known.describe().items():
        if name in ("base_path", "gym_reset_return_info"):  # only for EnvPool's scripts
            assert name not in output
            continue
        row = words(output, name)
        assert " ".join(row).endswith(text)
        assert repr(spec.config._asdict()[name]) in row
    assert output.index("\ngravity ") < output.index("\nnum_envs ")
    assert "500 (default 2147483647)" in output


def test_show_has_reset_options_and_infos():
    _, output = run("show", "CartPole-v1")
    assert words(output, "low")[1] == "-0.05"
    assert words(output, 'info["players"]["env_id"]')[1:] == ["int32", "()", "environment"]


def test_show_applies_options():
    exit_code, output = run(
        "show", "CartPole-v1", "-o", "gravity=1.6", "-o", "kinematics_integrator=euler"
    )
    assert exit_code == 0
    assert "1.6 (default 9.8)" in output
    assert 'gravity=1.6, kinematics_integrator="euler")' in output


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("options", [[], ["-o", "num_envs=3", "-o", "seed=[5, 6, 7]"]])
def test_shown_example_runs(task, options):
    _, output = run("show", task, *options)
    _, _, example = output.partition("\nExample\n")
    variables = {}
    exec(example, variables)
    with variables["env"] as env:
        assert len(variables["reward"]) == env.num_envs


@pytest.mark.parametrize("command", ["show", "bench"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CartPol-v1"], "there is no task 'CartPol-v1'; did you mean 'CartPole-v1'"),
        (["gymnasium:CartPol-v1"], "Environment `CartPol` doesn't exist. Did you mean: `CartPole`"),
        (["CartPole-v1", "-o", "gravty=1"], "no option 'gravty'; did you mean 'gravity'?"),
        (["CartPole-v1", "-o", "gravity=low"], "option gravity is 'low', expected a number"),
        (["CartPole-v1", "-o", "max_episode_steps=0"], "max_episode_steps is 0, expected"),
        (["CartPole-v1", "-o", "gravity"], "--option is 'gravity', expected NAME=VALUE"),
    ],
)
def test_wrong_usage_is_one_line_with_exit_code_2(command, arguments, message):
    assert_one_line(2, message, command, *arguments)


@pytest.mark.parametrize("command", ["show", "bench"])
def test_missing_library_is_one_line_with_exit_code_1(command, monkeypatch):
    task = Task("envpool.no_such_family", "Spec", "DM", "Gymnasium", {})
    monkeypatch.setitem(registry.tasks, "Missing-v0", task)
    assert run(command, "Missing-v0") == (1, "error: No module named 'envpool.no_such_family'\n")


def bench(*arguments):
    """The printed text, and the rows of numbers in it."""
    exit_code, output = run("bench", "Pendulum-v1", "--seconds", "0.01", *arguments)
    assert exit_code == 0
    rows = [line.split() for line in output.splitlines() if re.match(r" *\d+ +\d+ +\d", line)]
    return output, rows


def test_bench_measures_steps():
    output, rows = bench("--num-envs", "1", "--num-envs", "6", "-o", "g=9.81")
    assert [row[:2] for row in rows] == [["1", "1"], ["6", "6"]]
    for _, batch_size, micros, rate, _ in rows:
        steps = int(batch_size) / float(micros.replace(",", "")) * 1e6
        assert int(rate.replace(",", "")) == pytest.approx(steps, rel=0.01)
    assert "Pendulum-v1: step()" in output
    assert f"envpool {envpool.__version__}; " in output
    assert output.rstrip().endswith("cores")


@pytest.mark.slow
def test_bench_finds_the_best_number_of_workers(monkeypatch):
    monkeypatch.setattr("envpool.cli.bench.cores", lambda: 1)
    arguments = ("--num-envs", "2", "--seconds", "0.01", "-o", "env_kwargs={'g': 9.81}")
    exit_code, output = run("bench", "gymnasium:Pendulum-v1", *arguments)
    assert exit_code == 0
    rows = re.findall(r"^ *(\d+) +(\d+) +(\d+) +[\d,.]+ +[\d,]+ +\d+%$", output, re.M)
    assert rows == [("2", "2", "0"), ("2", "2", "1"), ("2", "2", "2")]


def test_workers_are_tried_in_powers_of_two(monkeypatch):
    monkeypatch.setattr("envpool.cli.bench.cores", lambda: 6)
    for num_envs, expected in ((64, [0, 1, 2, 4, 8]), (3, [0, 1, 2])):
        assert [each["num_workers"] for each in worker_counts(num_envs)] == expected


def test_bench_measures_asynchronous_calls():
    output, rows = bench("--async", "--num-envs", "2", "--num-envs", "8", "-o", "num_threads=2")
    assert [row[:2] for row in rows] == [["2", "1"], ["8", "2"]]
    assert "Pendulum-v1: recv() and send()" in output


@pytest.mark.parametrize("option", ["num_envs", "batch_size"])
def test_bench_has_one_way_to_say_a_thing(option):
    exit_code, output = run("bench", "Pendulum-v1", "-o", f"{option}=1")
    assert exit_code == 2
    assert f"got multiple values for keyword argument '{option}'" in output


def test_bench_reports_what_only_a_pool_finds_wrong():
    exit_code, output = run("bench", "LunarLander-v3", "-o", "gravity=-20")
    assert exit_code == 2
    assert output.startswith("error: gravity is -20")


@pytest.mark.parametrize("task", skipping_without_engine(TASKS))
@pytest.mark.one_in(6)
def test_random_actions_need_no_conversion(task):
    spec = envpool.make_spec(task)
    for seed in range(8):
        actions = random_action(spec, 5, np.random.default_rng(seed))
        for name, action in (actions if isinstance(actions, dict) else {"action": actions}).items():
            expected = spec.action_array_spec[name]
            assert action.dtype == expected.dtype
            rows = 5 * spec.spaces.most_players if name.startswith("players.") else 5
            assert action.shape == (rows, *expected.shape[1:])
            assert (action >= expected.minimum).all()
            assert (action <= expected.maximum).all()


def test_commands_say_that_a_task_has_several_players():
    import envpool.families.testing.registration  # noqa: F401

    _, shown = run("show", "testing/Players-v0")
    assert "up to 3; rows of all follow one another" in shown
    assert "step(" not in shown
    assert words(shown, 'info["players"]["id"]')[1:] == ["int32", "()", "player"]
    assert words(shown, 'info["elapsed_step"]')[1:] == ["int32", "()", "environment"]


def test_show_has_limits_and_choices_of_options():
    import envpool.families.testing.registration  # noqa: F401

    _, shown = run("show", "testing/Faulty-v0")
    assert " ".join(words(shown, "length")) == "length 10 1 <= length <= 50 steps of an episode"
    assert " ".join(words(shown, "start")).startswith("start 0.0 -1 <= start <= 1 where the ")
    assert "'drawing_differs' or 'edge_of_actions' or" in shown
    _, shown = run("show", "CartPole-v1")
    assert "'euler' or 'semi-implicit euler'" in shown


def test_random_actions_of_several_arrays():
    none = {"space": "box", "per_player": False, "low": [-np.inf], "high": [np.inf]}
    spaces = SimpleNamespace(
        most_players=1,
        action_fields=[
            none | {"name": "move", "dtype": "float32", "shape": (2,), "low": [2.0, -np.inf]},
            none | {"name": "button.fire", "dtype": "bool", "shape": ()},
            none | {"name": "level", "dtype": "uint8", "shape": (1,)},
        ],
    )
    for seed in range(8):
        action = random_action(SimpleNamespace(spaces=spaces), 3, np.random.default_rng(seed))
        assert {name: (array.dtype, array.shape) for name, array in action.items()} == {
            "move": (np.dtype("float32"), (3, 2)),
            "button.fire": (np.dtype("bool"), (3,)),
            "level": (np.dtype("uint8"), (3, 1)),
        }
        assert np.isfinite(action["move"]).all()
        assert (action["move"][:, 0] >= 2.0).all()


def test_option_values_are_literals_or_strings():
    texts = ["a=1", "b=2.5", "c=True", "d=[1, 2]", "e=euler", "f='x=y'", "g=x=y", "h="]
    assert parse_options(texts) == {
        "a": 1,
        "b": 2.5,
        "c": True,
        "d": [1, 2],
        "e": "euler",
        "f": "x=y",
        "g": "x=y",
        "h": "",
    }


BOUNDED_APART = spaces.Box(np.float32([0, 0, 1.5]), np.float32([1, 1, np.inf]))


@pytest.mark.parametrize(
    ("space", "in_short", "in_lines"),
    [
        (spaces.Discrete(3), "Discrete(3)", ["Discrete(3)"]),
        (spaces.Box(0, 255, (84, 84), np.uint8), "Box(84, 84)", ["Box(0, 255, (84, 84), uint8)"]),
        (BOUNDED_APART, "Box(3,)", ["Box(3,) float32", "  0:2  in [0, 1]", "  2  in [1.5, inf]"]),
        (spaces.MultiDiscrete([3, 2]), "MultiDiscrete(2,)", ["MultiDiscrete([3 2])"]),
        (
            spaces.Dict(arm=BOUNDED_APART, hand=spaces.Dict(grip=spaces.Discrete(2))),
            "Dict(arm, hand)",
            [
                "Dict",
                "  arm: Box(3,) float32",
                "    0:2  in [0, 1]",
                "    2  in [1.5, inf]",
                "  hand: Dict",
                "    grip: Discrete(2)",
            ],
        ),
        (
            spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1, (0,))]),
            "Tuple(Discrete(2), Box(0,))",
            ["Tuple", "  0: Discrete(2)", "  1: Box([], [], (0,), float32)"],
        ),
    ],
)
def test_spaces_in_words(space, in_short, in_lines):
    assert summary(space) == in_short
    assert description(space) == in_lines
