"""The checks find what is planted, each by the right check, and nothing where nothing is wrong."""

import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import envpool.families.testing.registration
from envpool.checks import CheckFailure, check_task
from envpool.checks.checks import CHECKS, names_for
from envpool.checks.events import Event, first_difference
from envpool.checks.subject import Subject
from envpool.errors import ArgumentError, UnknownTaskError
from envpool.tasks.registration import register_family_task
from envpool.tasks.registry import registry
from helpers import run_python
from outcomes import assert_found, failed_in, found_in

TASK = "testing/Faulty-v0"

# Each fault, the check that finds it, and what it says.
FAULTS = {
    "exception": ("exceptions", "an environment threw: failed on purpose in step"),
    "observation_beyond_bounds": (
        "bounds",
        r"environment 0, result 7 \(step 7 of its episode\): observation obs\[0\] is 1.5, "
        "expected -1.0 to 1.0",
    ),
    "last_observation_beyond_bounds": ("bounds", r"step 10 .* observation obs\[0\] is 1.5"),
    "info_beyond_bounds": ("bounds", "info step is -1, expected 0 to 2147483647"),
    "reward_is_nan": ("bounds", r"reward\[0\] is nan, expected a finite number"),
    "no_such_field": (
        "exceptions",
        "info field 2 was accessed, but the spec has 2 of them: info 'step', info 'pushes'",
    ),
    "counts_all_episodes": ("repeat", r"result 1 .* reward\[0\] is .* \(in an equal pool\)"),
    "observation_not_written": ("written", r"a reset\): observation obs\[1\] is 1.4660155e\+13"),
    "last_observation_not_written": ("written", r"step 10 .* observation obs\[1\]"),
    "info_not_written": ("written", r"a reset\): info pushes\[1\]"),
    "counts_threads": ("threads", r"reward\[0\] .* \(with num_threads=[24]\)"),
    "order_of_environments": ("batches", r"reward\[0\] .* \(with batch_size=[13], num_threads=2\)"),
    "counts_environments": ("num_envs", r"reward\[0\] .* \(with num_envs=1\)"),
    "member_without_value": ("processes", r"info pushes\[0\] is 90.0, expected 0.0"),
    "left_from_last_episode": ("leftovers", r"a reset\): info pushes\[0\] .* expected 0.0"),
    "hidden_state": ("snapshots", r"taken after result 1 and set in another pool .* pushes\[1\]"),
    "snapshot_throws": ("snapshots", "failed on purpose in Serialize"),
    "edge_of_actions": ("actions", r"observation obs\[0\] is 1.5, .* \(all actions at a bound\)"),
    "wild_actions_stay": ("wild_actions", r"info pushes\[0\] is inf, .* that were infinite"),
    "drawing_changes_it": ("pictures", r"info pushes\[0\] .* of which pictures were taken"),
    "drawing_differs": ("pictures", r"byte \[0, 0, 0\] .* is 0, and 1 when it is drawn again"),
    "pixel_not_written": ("pictures", r"byte \[47, 63, 2\] .* is not written"),
    "option_at_its_limit": ("options", r"option length = 50, .*: at\(\)"),
    "reset_option_at_its_limit": ("reset_options", r"reset option start = 1.0: at\(\)"),
    "memory_of_resets": ("leaks_of_resets", "bytes more after every .* per reset"),
    "file_left_open": ("leaks_of_pools", "files more after every .* which is 4 per pool"),
}
# What ends the process, with what the report says of it.
CRASHES = {
    "crash": ("exceptions", "it ended its process by SIGSEGV"),
    "wild_action": ("wild_actions", "it ended its process by SIGABRT"),
    "hang": ("exceptions", "it did not end within 3 s, so its process was ended"),
}
REMARKS = {
    "endless": ("episodes", "no episode ended within 400 steps .* and there is no time limit"),
    "no_snapshots": ("snapshots", "it has no snapshots"),
    "warning": ("exceptions", "it warns: it wobbles"),
}
# Other checks that find it as well, because it is wrong in more than one way.
ALSO = {
    "counts_environments": {"leftovers", "pictures"},
    "order_of_environments": {"threads", "snapshots", "pictures", "leftovers"},
}
SLOW = {"memory_of_resets", "file_left_open", "member_without_value"}


def subject_of(fault):
    return Subject(TASK, {"fault": fault}, quick=True)


def test_the_documentation_has_all_checks():
    page = (Path(__file__).parents[2] / "docs/checking.md").read_text()
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == set(CHECKS)


def test_all_faults_are_expected_somewhere():
    """Also that there is a fault for each check."""
    checked = set(names_for(Subject(TASK)))
    planted = set(envpool.make_spec(TASK).env_type.options["fault"]["choices"])
    assert planted == {*FAULTS, *CRASHES, *REMARKS, "none", "empty_bounds"}
    found = {"spec", *(check for check, _ in [*FAULTS.values(), *REMARKS.values()])}
    assert checked == found


@pytest.mark.parametrize(
    "fault",
    [pytest.param(f, marks=pytest.mark.long) if f in SLOW else f for f in (*FAULTS, *REMARKS)],
)
def test_planted_faults_are_found_by_the_right_check(fault):
    kind = "fault" if fault in FAULTS else "remark"
    assert_found(subject_of(fault), *(FAULTS | REMARKS)[fault], kind)


def test_pictures_without_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    (nothing,) = found_in(Subject("CartPole-v1"), ["pictures"])
    assert nothing.kind == "skipped" and "nothing was drawn: this needs" in nothing.message


def test_a_spec_that_is_refused_is_found(monkeypatch):
    """Without options: with them, it would be these that are refused."""
    monkeypatch.setattr(registry, "tasks", dict(registry.tasks))  # other tests ask for all tasks
    task_id = "testing/EmptyBounds-v0"
    register_family_task("envpool.families.testing", task_id, "Faulty", fault="empty_bounds")
    found = found_in(Subject(task_id), ["spec", "exceptions"])
    assert [finding.kind for finding in found] == ["fault", "skipped"]
    assert "'obs' has the bounds -1 and -2, with nothing between them" in found[0].message


def test_a_registration_with_a_wrong_option_is_found(monkeypatch):
    wrong = registry.find(TASK)._replace(kwargs={"lenght": 3})
    monkeypatch.setitem(registry.tasks, "testing/Wrong-v0", wrong)
    (finding,) = found_in(Subject("testing/Wrong-v0"), ["spec"])
    assert finding.message == (
        "TypeError: Faulty has no option 'lenght'; did you mean 'length' or 'render_height'?"
    )
    assert finding.hint.endswith("or the options of the task's registration")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("players", "NumPlayers() is 2, expected 1: the spec has max_num_players = 1"),
        ("constructor", "failed on purpose in constructor"),
    ],
)
def test_environments_that_cannot_be_made_are_found_first(place, message):
    subject = Subject("testing/Failing-v0", {"place": place})
    found = found_in(subject, ["spec"])
    assert [finding.message for finding in found] == [f"no environment can be made: {message}"]
    assert found[0].hint == "correct the constructor, or what the type's spec function returns"


@pytest.mark.parametrize(
    ("bytes_", "expected"),
    [([0x55, 0xAA], "True (0x55), expected True (0xaa)"), ([0, 1], "False, expected True")],
)
def test_different_bytes_that_look_alike_are_shown(bytes_, expected):
    ours, theirs = (
        [[Event(True, {"info.arrived": np.array(byte, np.uint8).view(np.bool_)})]]
        for byte in bytes_
    )
    said = first_difference(ours, theirs)
    assert said == f"environment 0, result 0 (a reset): info arrived is {expected}"


@pytest.mark.long
@pytest.mark.parametrize("fault", [*FAULTS, *REMARKS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # one of the faults
def test_planted_faults_are_found_by_no_other_check(fault):
    expected = {FAULTS[fault][0]} if fault in FAULTS else set()
    names = names_for(Subject(TASK))
    names = [name for name in names if name in expected or not name.startswith("leaks")]
    failed = failed_in(subject_of(fault), names)
    assert expected <= failed <= expected | ALSO.get(fault, set())


@pytest.mark.parametrize(
    "fault", ["crash", *(pytest.param(f, marks=pytest.mark.long) for f in ("wild_action", "hang"))]
)
def test_what_ends_the_process_is_found_as_well(fault):
    check, message = CRASHES[fault]
    with pytest.raises(CheckFailure, match=message) as caught:
        check_task(TASK, fault=fault, only=[check, "reset_options"], seconds=3.0)
    report = caught.value.report
    assert report.failed == [check]
    # The others had a process of their own, if they could be told anything by it.
    last = report.outcomes[-1]
    assert (last.check, last.result) in {("reset_options", "passed"), ("reset_options", "skipped")}


KILLED_PARENT = """
import os, signal
import envpool.families.testing.registration
from envpool.checks.checks import run_checks
from envpool.isolation import Process
from envpool.checks.subject import Subject

process = Process(run_checks, Subject("testing/Faulty-v0", {"fault": "hang"}), ["exceptions"],
                  seconds=60.0)
for began in process:
    print(process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_end_with_the_one_that_started_them():
    done = run_python(KILLED_PARENT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    folder = Path("/proc", done.stdout.strip())
    while folder.exists() and "worker" in (folder / "cmdline").read_text():
        time.sleep(0.05)  # what hangs is ended by a fixture


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is_wrong():
    report = check_task(TASK, quick=True)
    assert [outcome.check for outcome in report.outcomes] == names_for(Subject(TASK))
    assert {outcome.result for outcome in report.outcomes} == {"passed"}, str(report)


@pytest.mark.long
@pytest.mark.parametrize("name", ["Lives", "Masked", "Players", "Structured"])
def test_environments_of_other_shapes_pass(name):
    """Several lives, action masks, several players, Dict spaces."""
    check_task(f"testing/{name}-v0", quick=True)


MASKED = [{}, {"in_info": True, "actions": "multi_discrete"}, {"players": 2, "actions": "dict"}]


@pytest.mark.parametrize("options", MASKED)
@pytest.mark.slow
def test_actions_are_what_masks_allow(options):
    subject = Subject("testing/Masked-v0", options, quick=True)
    names = ("exceptions", "batches", "snapshots", "actions", "wild_actions")
    assert not failed_in(subject, names)


def test_a_mask_that_allows_nothing_is_a_fault():
    subject = Subject("testing/Masked-v0", {"closed_at": 4}, quick=True)
    found = found_in(subject, ["exceptions"])
    sentence = "action_mask of environment 0 after step 4 of its episode allows none of the 5"
    assert [sentence in finding.message for finding in found] == [True]


def test_failures_list_everything_in_their_message():
    with pytest.raises(AssertionError) as caught:
        check_task(TASK, fault="exception", only=["exceptions", "bounds"])
    assert str(caught.value) == (
        "testing/Faulty-v0, fault='exception': 1 of 2 checks fail\n"
        "- exceptions, fault: an environment threw: failed on purpose in step\n"
        "  an environment that throws must be reset: fix the cause, or end the episode\n"
        "- bounds, skipped: not run, because exceptions fails"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"task_id": "CartPol-v1"}, UnknownTaskError, "did you mean 'CartPole-v1'"),
        (
            {"only": ["infos"]},
            ArgumentError,
            "there is no check 'infos' for this task",
        ),
        (
            {"only": ["written", "writen"]},
            ValueError,
            "no check 'writen' for this task; did you mean 'written'",
        ),
        (
            {"skip": ["all"]},
            ValueError,
            "there is no check 'all' for this task, but spec, exceptions",
        ),
        ({"num_envs": 3}, ValueError, "num_envs is given, which the checks set themselves"),
        ({"gravity": "low"}, TypeError, "option gravity is 'low', expected a number"),
        ({"grvity": 1.0}, TypeError, "has no option 'grvity'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        check_task(arguments.pop("task_id", "CartPole-v1"), **arguments)
