"""``python -m envpool doctor``: what it finds, also where much is broken."""

import os
import sys

import pytest
from typer.testing import CliRunner

from envpool.cli import app
from envpool.doctor import hardware, installation, tasks
from envpool.doctor.finding import OK, PROBLEM, Finding, command_in, findings_of, try_each
from envpool.doctor.installation import plugins
from envpool.doctor.report import markdown, verdict
from helpers import run_command, run_python

CRASHED = "does not load: it ended its process by SIGABRT"
RAISES = "raise ImportError('half of it is gone')"
CRASHES = "import os; os.abort()"
TITLES = [
    "Versions",
    "In the way",
    "Processor",
    "Families of tasks",
    "Packages for some",
    "OpenGL",
    "Plugins",
]


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of packages that is before all others, here and in processes of this one."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


def install(site, name, version, entry_points=""):
    """As much of a package as its metadata."""
    folder = site / f"{name}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "entry_points.txt").write_text(entry_points)


def found(section):
    return {finding.name: finding for finding in findings_of(section)}


@pytest.mark.slow
def test_a_whole_installation():
    result = CliRunner().invoke(app, ["doctor"])
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert [line for line in lines if line in TITLES] == TITLES
    assert any(line.startswith("classic_control ok") for line in map(compact, lines))
    assert lines[-1] == "nothing is wrong" if result.exit_code == 0 else "problem" in lines[-1]


def compact(line):
    return " ".join(line.split())


def test_without_the_packages_of_the_command_line(site):
    """Then the report is plain text, by the standard library alone."""
    (site / "rich.py").write_text("raise ImportError('no paint')")
    done = run_command(sys.executable, "-m", "envpool", "list")
    assert done.returncode == 1
    assert done.stderr == (
        "error: the command line does not load: ImportError: no paint; python -m envpool doctor "
        "tells what is wrong with the installation\n"
    )


@pytest.mark.long  # it looks at everything
@pytest.mark.parametrize(
    ("module", "code", "reason"),
    [
        ("numpy", RAISES, "ImportError: half of it is gone"),
        ("gymnasium", RAISES, "ImportError: half of it is gone"),
        ("rich", RAISES, "ImportError: half of it is gone"),
        ("numpy", "raise RuntimeError('old processor')", "RuntimeError: old processor"),
        ("cloudpickle", CRASHES, "it ended its process by SIGABRT"),
    ],
)
def test_broken_packages(site, module, code, reason):
    (site / f"{module}.py").write_text(code)
    done = run_command(sys.executable, "-m", "envpool", "doctor", "--report")
    assert done.returncode == 1
    assert f"| {module} | problem | does not load: {reason}; `pip install" in done.stdout
    assert "Traceback" not in done.stderr


WITHOUT_OPENGL = """
import sys
from envpool.doctor.report import SECTIONS
from envpool.doctor.finding import findings_of

for title, section in SECTIONS.items():
    if title != "OpenGL":
        for finding in findings_of(section):
            print(f"{title}: {finding.name} {finding.state}: {finding.text}")
print("loaded here:", {"cloudpickle", "envpool._core"} & set(sys.modules))
"""


@pytest.mark.slow
def test_what_may_crash_is_not_loaded_here(site):
    (site / "cloudpickle.py").write_text(CRASHES)
    done = run_python(WITHOUT_OPENGL)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "loaded here: set()"
    crashed = "it ended its process by SIGABRT"
    assert f"Versions: cloudpickle problem: does not load: {crashed}" in lines
    assert "Versions: gymnasium ok" in done.stdout
    assert "Versions: rich ok" in done.stdout
    assert any(line.startswith("Families of tasks: atari ok") for line in lines)
    assert any(line.startswith("Plugins: plugins ok") for line in lines)
    assert "cannot be told" not in done.stdout


def test_other_projects(site):
    install(site, "envpool", "1.2.5")
    others = found(installation.others)
    assert others["envpool"].state == PROBLEM
    assert others["envpool"].command.startswith("pip uninstall envpool")


def test_files_that_hide_packages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numpy.py").write_text("")
    finding = found(installation.others)["this folder"]
    assert finding.state == PROBLEM
    assert finding.text.endswith("has numpy.py, imported in its place")


@pytest.mark.slow
def test_plugins(site):
    """Each is tried by itself, whatever the others do."""
    (site / "bad_plugins.py").write_text(
        "import os, sys\n"
        "def crashes(): os.abort()\n"
        "def fails(): raise ValueError('no tasks today')\n"
        "def leaves(): sys.exit(3)\n"
        "def works():\n"
        "    from envpool.tasks.registration import register_python\n"
        "    register_python('own/Walk-v0', 'walk:Walk-v0')\n"
        "def registers():\n"
        "    from envpool.sdk import register_family_task\n"
        "    register_family_task('bad_plugins', 'own/Half-v0', 'Half')\n"
    )
    names = ("crashes", "fails", "leaves", "lost", "registers", "works")
    lines = [f"{name} = bad_plugins:{name}" for name in names]
    install(site, "bad-plugins", "1.0", "\n".join(["[envpool.envs]", *lines]))
    told = {
        name.removesuffix(" (bad-plugins)"): (finding.state, finding.text)
        for name, finding in found(plugins).items()
        if "bad-plugins" in name
    }
    assert told["crashes"] == (PROBLEM, f"bad_plugins:crashes {CRASHED}")
    assert told["fails"][1].endswith("does not load: ValueError: no tasks today")
    assert told["leaves"][1].endswith("does not load: SystemExit: 3")
    assert told["lost"][1].endswith("has no attribute 'lost'")
    assert told["registers"][0] == PROBLEM
    assert (
        "ImportError: own/Half-v0 is registered with the class HalfEnvSpec" in told["registers"][1]
    )
    assert told["works"] == (OK, "1 tasks: own/Walk-v0")


def test_what_num_threads_follows(monkeypatch):
    monkeypatch.setenv("ENVPOOL_NUM_THREADS", "3")
    assert found(hardware.processors)["num_threads"].text.startswith("3 in a pool")
    monkeypatch.setenv("ENVPOOL_NUM_THREADS", "many")
    told = found(hardware.processors)
    assert told["ENVPOOL_NUM_THREADS"].state == PROBLEM
    assert "once ENVPOOL_NUM_THREADS is fixed" in told["num_threads"].text
    monkeypatch.setattr(hardware, "quotas", lambda: iter([0.5, 2.0]))
    assert found(hardware.processors)["quota"].text == "a control group allows 0.5 cores' time"


@pytest.mark.parametrize(("system", "told"), [("linux", "apt install libegl1"), ("darwin", "")])
def test_opengl_has_a_command_where_there_is_apt(system, told, monkeypatch):
    pytest.importorskip("mujoco")
    monkeypatch.setattr(hardware, "why_not", lambda backend: "it draws nothing")
    monkeypatch.setattr(hardware, "find_library", lambda library: None)
    monkeypatch.setattr(sys, "platform", system)
    assert found(hardware.opengl)["egl"].command == told


def test_tasks_are_tried():
    results = list(try_each(tasks.try_task, ["CartPole-v1", "No-v0"]))
    assert results[0] == ("CartPole-v1", "runs", "")
    assert "there is no task 'No-v0'" in results[1][2]


def crash_in_pong(task_id):
    """As try_task, but for a task."""
    if task_id == "Pong-v5":
        os.abort()
    return "runs"


@pytest.mark.slow
def test_a_family_that_crashes(monkeypatch):
    monkeypatch.setattr(tasks, "try_task", crash_in_pong)
    told = found(tasks.families)
    crashed = "Pong-v5: it ended its process by SIGABRT"
    assert told.pop("atari") == Finding("atari", crashed, PROBLEM)
    assert {finding.state for finding in told.values()} == {OK}


def test_what_a_section_raises_is_a_finding():
    def section():
        yield Finding("first", "fine")
        raise OSError("the disk is gone")

    first, second = findings_of(section)
    assert first.state == OK
    assert second == Finding("this cannot be told", "OSError: the disk is gone", PROBLEM)


def test_report(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    findings = {
        "Versions": [Finding("numpy", f"in {tmp_path}/venv | x")],
        "OpenGL": [Finding("egl", "is\nmissing", PROBLEM, "apt install libegl1")],
    }
    assert markdown(findings) == (
        "**envpool doctor: 1 problem: egl**\n\n"
        "### Versions\n\n| | | |\n| --- | --- | --- |\n| numpy |  | in ~/venv \\| x |\n\n"
        "### OpenGL\n\n| | | |\n| --- | --- | --- |\n"
        "| egl | problem | is<br>missing; `apt install libegl1` |\n"
    )
    assert verdict({}) == "nothing is wrong"


def test_commands_in_messages():
    assert command_in('needs mujoco: pip install "envpool-next[mujoco]"').startswith("pip install")
    assert command_in("something else") == ""
