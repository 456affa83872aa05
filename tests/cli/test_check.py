"""``python -m envpool check``: what it prints and how it exits."""

import pytest
from typer.testing import CliRunner

import envpool.families.testing.registration  # noqa: F401
from envpool.cli import app

TASK = "testing/Faulty-v0"


def run(*arguments):
    """The exit code and the printed lines, without the spaces behind them."""
    result = CliRunner().invoke(app, ["check", *arguments])
    return result.exit_code, [line.rstrip() for line in result.output.splitlines()]


def results(lines):
    return [" ".join(line.split()[:2]) for line in lines]


def test_report_of_a_task_with_a_fault():
    checks = ["--only", "reset_options", "--only", "options", "--only", "pictures"]
    exit_code, lines = run(TASK, "-o", "fault=option_at_its_limit", *checks)
    assert exit_code == 1
    assert lines[0].split() == ["check", "result", "s", "what", "was", "found"]
    assert results(lines[2:4]) == ["pictures passed", "options fault"]
    assert lines[3].endswith("option length = 50, which its limits allow: at()")
    assert lines[4].strip().startswith("-> narrow the option's limits, or throw")
    assert results(lines[5:6]) == ["reset_options passed"]
    assert lines[-1] == f"{TASK} fails 1 of 3 checks: options"


def test_a_task_without_faults_is_a_success():
    task = "testing/Structured-v0"
    exit_code, lines = run(task, "--quick", "--only", "bounds", "--only", "pictures")
    assert exit_code == 0
    assert results(lines[2:4]) == ["bounds passed", "pictures skipped"]
    assert lines[-1] == f"{task} passes 2 checks"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CartPol-v1"], "error: there is no task 'CartPol-v1'; did you mean 'CartPole-v1'"),
        (
            ["CartPole-v1", "--only", "all"],
            "error: there is no check 'all' for this task, but spec, ",
        ),
        (["CartPole-v1", "-o", "seed=1"], "error: option seed is given, which the checks set"),
        (["CartPole-v1", "-o", "gravity"], "error: --option is 'gravity', expected NAME=VALUE"),
    ],
)
def test_wrong_usage(arguments, message):
    exit_code, lines = run(*arguments)
    assert exit_code == 2
    assert lines[0].startswith(message)


def test_a_class_of_a_module():
    exit_code, lines = run("python_faults:InfoIsHidden", "--quick", "--only", "infos")
    assert exit_code == 1
    assert results(lines[2:3]) == ["infos fault"]
    assert "info['env_id'] is hidden by what pools have there" in lines[2]
    assert lines[-1] == "python_faults:InfoIsHidden fails 1 of 1 checks: infos"
