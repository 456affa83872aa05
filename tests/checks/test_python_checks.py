"""The checks find what is planted in environments written in Python, each by the right check."""

import re

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import python_faults
from envpool.checks import CheckFailure, check_task
from envpool.checks.checks import names_for
from envpool.checks.subject import Subject
from envpool.errors import ArgumentError
from envpool.tasks.registry import registry
from outcomes import assert_found, failed_in, found_in

# Each environment of python_faults, the check that finds it, and what it says.
FAULTS = {
    "Constructor": ("spec", "OSError: there is no licence"),
    "Throws": ("exceptions", "an environment threw: ValueError: failed on purpose"),
    "OutOfBounds": ("bounds", r"observation obs\[1\] is 1.5, expected -1.0 to 1.0"),
    "RewardIsNan": ("bounds", r"reward\[0\] is nan, expected a finite number"),
    "OtherGenerator": ("repeat", r"\(in an equal pool\)"),
    "CountsEpisodes": ("repeat", r"a reset\): info\['episode'\] is \d+, expected \d+ \(in an eq"),
    "OtherType": ("gymnasium", "dtype to be float32, actual type: float64"),
    "EndIsNumber": ("gymnasium", "step 1: Expects `terminated` signal to be a boolean"),
    "ReusesObservation": ("buffers", r"changes in step 1: the result of reset\(\)\[0\]\[0\] is"),
    "ReusesInfo": ("buffers", r"changes in step 2: the result of step 1\[4\]\['place'\] is"),
    "ChangesAction": ("buffers", r"the action that it was given\[0\] is .* after its step"),
    "KeepsAction": ("buffers", r"the result of step 2\[0\]\[0\] is .*where the arrays of earlier"),
    "InfoOfTwoTypes": ("infos", r"info\['side'\] is .* in a batch -0.\d+ becomes 0 behind 0"),
    "InfoIsNone": ("infos", r"info\['side'\] is .* in a batch None becomes nan behind -?0"),
    "InfoIsHidden": ("infos", r"info\['env_id'\] is hidden by what pools have there"),
    "DependsOnOrder": ("batches", r"info\['again'\] is True, expected False \(with batch_size="),
    "CountsEnvironments": ("num_envs", r"info\['environments'\] is .* \(with num_envs=1\)"),
    "OrderOfSets": (
        "processes",
        r"info\['names'\]\[\d+\] is 'thing \d+', expected 'thing \d+' \(in",
    ),
    "InfoInOneProcess": ("workers", r"with num_workers=2: .*cannot pickle '_thread.lock'"),
    "SumStays": ("leftovers", r"info\['sum'\] is .*after about 7 steps and reset\(seed=\.\.\.\)"),
    "IgnoresSeeds": ("leftovers", r"a reset\): observation obs\[0\] is .*what a new environment"),
    "ForgetsInSnapshots": ("snapshots", r"set in another pool .* info\['steps'\] is"),
    "EdgeOfActions": ("actions", r"observation obs\[0\] is 1.5, .* \(all actions at a bound\)"),
    "WildActionsStay": ("wild_actions", r"info\['sum'\] is 1.0, .* just beyond its bounds, and"),
    "DrawingChangesIt": ("pictures", "of which pictures were taken|when it is drawn again"),
    "DrawingDiffers": ("pictures", r"byte \[0, 0, 0\] of environment 0's picture is 1, and 2 wh"),
    "KeepsEpisodes": ("leaks_of_resets", "more after every .* per reset"),
    "LeavesFileOpen": ("leaks_of_pools", "files more after every .* per pool"),
}
REMARKS = {
    "Warns": ("exceptions", "it warns: it wobbles"),
    "NoSnapshots": ("snapshots", "it has no snapshots: give it get_state"),
    "Endless": ("episodes", "no episode ended within 400 steps"),
}
# Other checks that find it as well, because it is wrong in more than one way.
ALSO = {
    "DependsOnOrder": {"num_envs", "processes", "workers", "snapshots", "leftovers"}
    | {"pictures", "wild_actions"},
    "CountsEnvironments": {"leftovers", "pictures", "workers", "snapshots", "repeat"}
    | {"processes"},
    "InfoInOneProcess": {"gymnasium"},  # nobody can say whether two locks are equal
    "IgnoresSeeds": {"gymnasium", "buffers"},
    "SumStays": {"gymnasium", "buffers"},
    "WildActionsStay": {"gymnasium"},
}
# These start processes, or need many rounds.
SLOW = {"OrderOfSets", "InfoInOneProcess", "KeepsEpisodes", "LeavesFileOpen"}


def subject_of(name):
    return Subject.of(f"python_faults:{name}", {}, quick=True)


def test_all_faults_and_checks_are_tried():
    planted = {
        name
        for name, kind in vars(python_faults).items()
        if isinstance(kind, type) and issubclass(kind, python_faults.Good)
    }
    assert planted == {*FAULTS, *REMARKS, "Good", "Exits"}
    found = {check for check, _ in [*FAULTS.values(), *REMARKS.values()]}
    assert set(names_for(subject_of("Good"))) == found


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in (*FAULTS, *REMARKS)],
)
def test_planted_faults_are_found_by_the_right_check(name):
    kind = "fault" if name in FAULTS else "remark"
    assert_found(subject_of(name), *(FAULTS | REMARKS)[name], kind)


@pytest.mark.long
@pytest.mark.parametrize("name", [*FAULTS, *REMARKS])
@pytest.mark.filterwarnings("ignore::UserWarning")  # one of the faults
def test_planted_faults_are_found_by_no_other_check(name):
    expected = {FAULTS[name][0]} if name in FAULTS else set()
    long_ones = {"leaks_of_resets", "leaks_of_pools", "workers", "processes"} - expected
    names = [check for check in names_for(subject_of(name)) if check not in long_ones]
    failed = failed_in(subject_of(name), names)
    assert expected <= failed <= expected | ALSO.get(name, set())


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is_wrong():
    report = check_task("python_faults:Good", quick=True)
    assert [outcome.check for outcome in report.outcomes] == names_for(subject_of("Good"))
    assert {outcome.result for outcome in report.outcomes} == {"passed"}, str(report)


def local_class():
    """A class that no other process can import."""

    class Local(python_faults.Good):
        def __init__(self, bound=0.5, render_mode=None):
            super().__init__(render_mode)
            self.bound = bound

        def observe(self):
            return np.float32([min(self.place, self.bound), 2 * self.bound])

    return Local


@pytest.mark.slow
def test_classes_and_registered_tasks_are_known_in_the_other_process(monkeypatch):
    local = local_class()
    monkeypatch.setattr(registry, "python_tasks", dict(registry.python_tasks))
    envpool.register_python("testing/Local-v0", local, env_kwargs={"bound": 0.7})
    assert not check_task(local, only=["exceptions", "bounds"]).failed
    with pytest.raises(CheckFailure, match=r"obs\[1\] is 1.4, expected"):
        check_task("testing/Local-v0", only=["bounds"])
    with pytest.raises(CheckFailure, match=r"Local, env_kwargs=\{'bound': 3\}: 1 of 1 checks fail"):
        check_task(local, only=["bounds"], env_kwargs={"bound": 3})


@pytest.mark.slow
def test_an_environment_that_ends_its_process_is_found():
    with pytest.raises(CheckFailure, match="ended its process with exit status 3") as caught:
        check_task("python_faults:Exits", only=["exceptions", "infos"])
    assert caught.value.report.failed == ["exceptions"]


class PickledWithout(python_faults.Good):
    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "place"}

    def __setstate__(self, state):
        vars(self).update(state, place=0.5)


@pytest.mark.parametrize(("kind", "count"), [(python_faults.Good, 0), (PickledWithout, 1)])
def test_pickles_are_snapshots_for_those_who_say_so(kind, count):
    subject = Subject.of(kind, {"snapshots": "pickle"}, quick=True)
    found = [finding.message for finding in found_in(subject, ["snapshots"])]
    assert ["goes on differently" in message for message in found] == [True] * count


class Texts(python_faults.Good):
    observation_space = spaces.Dict(
        {"said": spaces.Text(5), "place": python_faults.Good.observation_space}
    )
    action_space = spaces.Dict({"push": spaces.Discrete(3), "to": spaces.Box(0, 1, (2,))})

    def observe(self):
        return {"said": "left" if self.place < 0 else "right", "place": super().observe()}

    def step(self, action):
        return super().step([action["push"] - 1])


class Team:
    """Two agents, the first of which leaves before the other."""

    possible_agents = ("ann", "bob")

    def observation_space(self, agent):
        return spaces.Box(0, 9, (1,), np.float32)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents, self.steps = list(self.possible_agents), 0
        return {agent: np.float32([0]) for agent in self.agents}, {}

    def step(self, actions):
        self.steps += 1
        over = {agent: self.steps >= 5 + self.possible_agents.index(agent) for agent in actions}
        self.agents = [agent for agent in actions if not over[agent]]
        observations = {agent: np.float32([self.steps]) for agent in actions}
        rewards = {agent: float(action) for agent, action in actions.items()}
        return observations, rewards, over, dict.fromkeys(over, False), {"bob": {"steps": 1}}


class Told(Texts):
    action_space = spaces.Dict({"push": spaces.Discrete(3), "say": spaces.Text(3)})

    def step(self, action):
        assert self.action_space.contains(action)
        return super().step(action)


class Doors(python_faults.Good):
    """Refuses what its mask forbids, which is in the observation or in the info."""

    observation_space = spaces.Dict(place=python_faults.Good.observation_space)
    action_space = spaces.MultiDiscrete([2, 3])
    in_info = False

    def reset(self, **kwargs):
        super().reset(**kwargs)
        self.mask = np.array([0, 1, 1, 1, 0], np.int8)
        return self.told()

    def step(self, action):
        if not (self.mask[action[0]] and self.mask[2 + action[1]]):
            raise ValueError(f"door {action} is closed")
        self.mask[2:] = np.roll(self.mask[2:], 1)
        obs, info = self.told()
        return obs, 1.0, self.is_over(), False, info

    def told(self):
        mask = {"action_mask": self.mask.copy()}
        obs = {"place": self.observe()}
        return (obs, mask) if self.in_info else (obs | mask, {})

    def get_state(self):
        return self.place, self.mask

    def set_state(self, state):
        self.place, self.mask = state


class DoorsOfObservation(Doors):
    observation_space = spaces.Dict(
        place=python_faults.Good.observation_space, action_mask=spaces.MultiBinary(5)
    )


class DoorsOfInfo(Doors):
    in_info = True


@pytest.mark.parametrize("kind", [DoorsOfObservation, DoorsOfInfo])
def test_masked_actions_are_not_taken(kind):
    assert faults(kind, ["exceptions", "gymnasium", "buffers", "repeat"]) == set()


def faults(kind, names):
    return failed_in(Subject.of(kind, {}, quick=True), names)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Texts, Team])
def test_environments_of_other_shapes_pass(kind):
    """In this process, and without the checks that start others."""
    names = names_for(Subject.of(kind, {}))
    assert faults(kind, [name for name in names if name not in ("workers", "processes")]) == set()


@pytest.mark.parametrize(
    ("task", "options", "error", "message"),
    [
        ("python_faults:Goood", {}, gymnasium.error.Error, "Goood"),
        ("gymnasium:CartPol-v1", {}, gymnasium.error.Error, "CartPol"),
        ("gymnasium:Taxi-v0", {}, gymnasium.error.Error, "v0"),
        ("nowhere:Good", {}, ImportError, "nowhere"),
        (3, {}, TypeError, "the source of environments is 3, expected a function"),
        (
            python_faults.Good,
            {"only": ["written"]},
            ArgumentError,
            "there is no check 'written' for this task",
        ),
        (python_faults.Good, {"num_workers": 2}, ArgumentError, "num_workers is given, which the"),
        (python_faults.Good, {"size": 2}, TypeError, "has no option 'size'.* env_kwargs"),
    ],
)
def test_wrong_arguments_are_refused(task, options, error, message):
    with pytest.raises(error, match=re.escape(message) if "+" in message else message):
        check_task(task, **options)


def test_actions_may_have_parts_that_are_no_arrays():
    assert faults(Told, ["exceptions"]) == set()
