"""gfootball's own Python package, on the engine that is built with the environments for tests.

That package is installed nowhere: it asks for a gym of 2021, and for Boost's Python in its engine.
Here it gets the engine by ctypes, and of gym the few classes that it extends.
"""

from __future__ import annotations

import ctypes
import enum
import functools
import importlib
import itertools
import random
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import envpool.families.testing
from envpool.families import gfootball
from envpool.families.gfootball.registration import SCENARIOS
from envpool.oracles.upstreams import Oracle, repeated

# The library, and upstream's package.
FOLDER = Path(envpool.families.testing.__file__).parent / "gfootball"
_DATA = Path(gfootball.__file__).with_name("data")

_MOST_NUMBERS = 1000  # that the engine tells
_ROLES = ("GK", "CB", "LB", "RB", "DM", "CM", "LM", "RM", "AM", "CF")
_MODES = ("Normal", "KickOff", "GoalKick", "FreeKick", "Corner", "ThrowIn", "Penalty")
_ACTIONS = (
    *("idle", "left", "top_left", "top", "top_right", "right", "bottom_right", "bottom"),
    *("bottom_left", "long_pass", "high_pass", "short_pass", "shot", "keeper_rush", "sliding"),
    *("pressure", "team_pressure", "switch", "sprint", "dribble", "release_direction"),
    *("release_long_pass", "release_high_pass", "release_short_pass", "release_shot"),
    *("release_keeper_rush", "release_sliding", "release_pressure", "release_team_pressure"),
    *("release_switch", "release_sprint", "release_dribble", "builtin_ai"),
)
_PHASES = ("game_created", "game_initiated", "game_running", "game_done")
_TEAMS = ("e_Left", "e_Right")

# What upstream tells as Python's numbers, in the order of ours.
_RAW = (
    *("ball", "ball_direction", "ball_rotation", "ball_owned_team", "ball_owned_player"),
    *(
        f"{team}_team{part}"
        for team in ("left", "right")
        for part in ("", "_direction", "_tired_factor", "_yellow_card", "_active", "_roles")
    ),
    *("score", "steps_left", "game_mode", "designated", "active", "sticky_actions"),
)

# What infos have beside the engine's seed, except where raw observations have it already.
_INFOS = ("score", "game_mode", "ball_owned_team", "ball_owned_player", "steps_left")


def _enum(name: str, members: tuple[str, ...]) -> Any:
    return enum.IntEnum(name, members, start=0)


@functools.cache
def _library() -> ctypes.CDLL:
    """The engine's functions, with their types."""
    library = ctypes.CDLL(str(FOLDER / "football_library.so"))
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    flag, real, double = ctypes.c_bool, ctypes.c_float, ctypes.c_double
    for name, result, *arguments in (
        ("config_new", pointer),
        ("config_get", double, pointer, text),
        ("config_set", None, pointer, text, double),
        ("config_set_ball", None, pointer, number, real),
        ("config_add_player", None, pointer, flag, real, real, number, flag, flag),
        ("config_controllable", number, pointer, flag),
        ("config_selects_dynamically", flag, pointer),
        ("game_new", pointer, text, number),
        ("game_start", None, pointer),
        ("game_config", pointer, pointer),
        ("game_phase", number, pointer),
        ("game_set_phase", None, pointer, number),
        ("game_waiting", number, pointer),
        ("game_set_waiting", None, pointer, number),
        ("game_reset", None, pointer, pointer),
        ("game_step", None, pointer),
        ("game_act", None, pointer, number, flag, number),
        ("game_is_sticky", flag, pointer, number, flag, number),
        ("game_info", ctypes.c_size_t, pointer, ctypes.POINTER(double)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Ball:
    """Where a configuration has the ball, which is only set."""

    def __init__(self, config: Any) -> None:
        self._config = config

    def __setitem__(self, index: int, value: float) -> None:
        _library().config_set_ball(self._config, index, value)


class _Team:
    """A team of a configuration, which is only appended to."""

    def __init__(self, config: Any, is_left: bool) -> None:
        self._config, self._is_left, self._size = config, is_left, 0

    def append(self, player: tuple[Any, ...]) -> None:
        _library().config_add_player(self._config, self._is_left, *player)
        self._size += 1

    def __len__(self) -> int:
        return self._size


class _Config:
    """The engine's ScenarioConfig; its numbers are attributes."""

    def __init__(self, pointer: Any) -> None:
        self.__dict__.update(
            pointer=pointer,
            ball_position=_Ball(pointer),
            left_team=_Team(pointer, True),
            right_team=_Team(pointer, False),
        )

    @staticmethod
    def make() -> _Config:
        return _Config(_library().config_new())

    @property
    def controllable_left_players(self) -> int:
        return int(_library().config_controllable(self.pointer, True))

    @property
    def controllable_right_players(self) -> int:
        return int(_library().config_controllable(self.pointer, False))

    @property
    def dynamic_player_selection(self) -> bool:
        return bool(_library().config_selects_dynamically(self.pointer))

    def __getattr__(self, name: str) -> float:
        value = _library().config_get(self.__dict__["pointer"], name.encode())
        return int(value) if value == int(value) else float(value)

    def __setattr__(self, name: str, value: float) -> None:
        _library().config_set(self.pointer, name.encode(), value)


def _read_team(numbers: Iterator[float]) -> tuple[list[Any], list[Any]]:
    """The players and the controllers of a team."""
    players = []
    for _ in range(int(next(numbers))):
        x, y, dx, dy, tired, card, active, role, designated = itertools.islice(numbers, 9)
        players.append(
            types.SimpleNamespace(
                position=(x, y), direction=(dx, dy), tired_factor=tired, has_card=bool(card),
                is_active=bool(active), role=int(role), designated_player=bool(designated),
            )
        )  # fmt: skip
    controllers = itertools.islice(numbers, int(next(numbers)))
    return players, [types.SimpleNamespace(controlled_player=int(each)) for each in controllers]


class _Game:
    """The engine's GameEnv."""

    def __init__(self) -> None:
        self.game_config = types.SimpleNamespace(render=False)
        self._pointer: Any = None
        self._numbers = (ctypes.c_double * _MOST_NUMBERS)()

    def start_game(self) -> None:
        steps = self.game_config.physics_steps_per_frame
        self._pointer = _library().game_new(str(_DATA).encode(), steps)
        _library().game_start(self._pointer)

    @property
    def state(self) -> Any:
        phase = _library().game_phase(self._pointer) if self._pointer else 0
        return ENGINE.GameState(phase)

    @state.setter
    def state(self, phase: int) -> None:
        _library().game_set_phase(self._pointer, phase)

    @property
    def waiting_for_game_count(self) -> int:
        return int(_library().game_waiting(self._pointer))

    @waiting_for_game_count.setter
    def waiting_for_game_count(self, count: int) -> None:
        _library().game_set_waiting(self._pointer, count)

    @property
    def config(self) -> _Config:
        return _Config(_library().game_config(self._pointer))

    def reset(self, config: _Config, animations: bool) -> None:
        assert not animations
        _library().game_reset(self._pointer, config.pointer)

    def step(self) -> None:
        _library().game_step(self._pointer)

    def perform_action(self, action: int, is_left: bool, player: int) -> None:
        _library().game_act(self._pointer, action, is_left, player)

    def sticky_action_state(self, action: int, is_left: bool, player: int) -> bool:
        return bool(_library().game_is_sticky(self._pointer, action, is_left, player))

    def get_info(self) -> types.SimpleNamespace:
        size = _library().game_info(self._pointer, self._numbers)
        numbers = iter(self._numbers[:size])
        ball, direction, rotation = (tuple(itertools.islice(numbers, 3)) for _ in range(3))
        left_goals, right_goals, mode, is_in_play, team, player, step = map(
            int, itertools.islice(numbers, 7)
        )
        left, left_controllers = _read_team(numbers)
        right, right_controllers = _read_team(numbers)
        return types.SimpleNamespace(
            ball_position=ball, ball_direction=direction, ball_rotation=rotation,
            left_goals=left_goals, right_goals=right_goals, game_mode=mode,
            is_in_play=bool(is_in_play), ball_owned_team=team, ball_owned_player=player, step=step,
            left_team=left, right_team=right,
            left_controllers=left_controllers, right_controllers=right_controllers,
        )  # fmt: skip


# The module gfootball_engine.
ENGINE: Any = types.ModuleType("gfootball_engine")
ENGINE.GameEnv, ENGINE.ScenarioConfig = _Game, _Config
ENGINE.FormationEntry = lambda *arguments: arguments
ENGINE.GameState = _enum("GameState", _PHASES)
ENGINE.e_Team = _enum("e_Team", _TEAMS)
ENGINE.e_PlayerRole = _enum("e_PlayerRole", tuple(f"e_PlayerRole_{role}" for role in _ROLES))
ENGINE.e_GameMode = _enum("e_GameMode", tuple(f"e_GameMode_{mode}" for mode in _MODES))
ENGINE.e_BackendAction = _enum("e_BackendAction", _ACTIONS)


class _GymWrapper:
    """Wrapper of gym 0.21."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["env"], name)

    def reset(self) -> Any:
        return self.env.reset()

    def step(self, action: Any) -> Any:
        return self.env.step(action)


class _GymObservationWrapper(_GymWrapper):
    """ObservationWrapper of gym 0.21."""

    def reset(self) -> Any:
        return self.observation(self.env.reset())

    def step(self, action: Any) -> Any:
        observation, *rest = self.env.step(action)
        return self.observation(observation), *rest


class _GymRewardWrapper(_GymWrapper):
    """RewardWrapper of gym 0.21."""

    def step(self, action: Any) -> Any:
        observation, reward, *rest = self.env.step(action)
        return observation, self.reward(reward), *rest


class _GymEnv:
    """Env of gym 0.21."""

    @property
    def unwrapped(self) -> Any:
        return self


def _gym() -> dict[str, Any]:
    """The modules of gym, as far as upstream asks for them."""
    gym: Any = types.ModuleType("gym")
    gym.Env, gym.Wrapper, gym.spaces = _GymEnv, _GymWrapper, gymnasium.spaces
    gym.ObservationWrapper, gym.RewardWrapper = _GymObservationWrapper, _GymRewardWrapper
    registration: Any = types.ModuleType("gym.envs.registration")
    registration.register = lambda **kwargs: None
    return {
        "gym": gym,
        "gym.envs": types.ModuleType("gym.envs"),
        "gym.envs.registration": registration,
    }


@functools.cache
def create_environment() -> Any:
    """Upstream's function of that name.

    Raises:
        ImportError: One of the packages that upstream imports is missing.
    """
    lent = {**_gym(), "gfootball_engine": ENGINE}
    before = {name: sys.modules.get(name) for name in lent}
    sys.modules.update(lent)
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("gfootball.env").create_environment
    finally:
        sys.path.remove(str(FOLDER))
        for name, module in before.items():
            if module is None and name != ENGINE.__name__:  # which scenarios import later
                del sys.modules[name]
            elif module is not None:
                sys.modules[name] = module


def _array(value: Any) -> Any:
    """A value of a raw observation as an array; of its integers with 32 bits."""
    array = np.asarray(value)
    return array.astype(np.int32) if array.dtype == np.int64 else array


def _stacked(arrays: list[Any]) -> Any:
    """Arrays of teams of several sizes, of which the smaller ones are followed by zeros."""
    most = max(array.shape for array in arrays)
    stacked = np.zeros((len(arrays), *most), arrays[0].dtype)
    for row, array in enumerate(arrays):
        place: Any = (row, *map(slice, array.shape))
        stacked[place] = array
    return stacked


def _without_others(create: Any, options: dict[str, Any]) -> Any:
    """Creates an environment, and has upstream forget used engines that take other steps.

    Upstream would take one of them without telling it how long a step is.
    """
    unused = sys.modules["gfootball.env.football_env_core"]._unused_engines
    steps = options.get("physics_steps_per_frame", 10)
    unused[:] = [game for game in unused if game.game_config.physics_steps_per_frame == steps]
    return create()


class FootballEnv(gymnasium.Env[Any, Any]):
    """Upstream's environment with Gymnasium's API, created anew where it is seeded.

    Args:
        scenario: Its name.
        options: Of upstream's Config.
        **kwargs: Of ``create_environment``.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium's

    def __init__(self, scenario: str, options: dict[str, Any], **kwargs: Any) -> None:
        create = functools.partial(
            create_environment(), scenario, other_config_options=options, **kwargs
        )
        self._create = functools.partial(_without_others, create, options)
        self._is_raw = kwargs.get("representation") == "raw"
        self.env = self._create()
        self._random = random.getstate()
        self.action_space = self.env.action_space
        if not self._is_raw:
            self.observation_space = self.env.observation_space

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See Gymnasium. Of Python's generator, each environment has its own state."""
        if seed is None:
            random.setstate(self._random)
        else:
            self.env.close()
            random.seed(seed)
            self.env = self._create()
        observation = self.env.reset()
        self._random = random.getstate()
        return self._shown(observation), self._info()

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        observation, reward, done, _ = self.env.step(action)
        return self._shown(observation), reward, done, False, self._info()

    def _shown(self, observation: Any) -> Any:
        if not self._is_raw:
            return observation
        rows = [{key: _array(row[key]) for key in _RAW} for row in observation]
        return {key: _stacked([row[key] for row in rows]) for key in _RAW}

    def _info(self) -> dict[str, Any]:
        core = self.env.unwrapped._env
        seen = core._observation
        info = {
            "engine_seed": np.int32(core._env.config.game_engine_random_seed),
            "episode_number": np.int32(core._config["episode_number"]),
        }
        return info if self._is_raw else info | {name: _array(seen[name])[()] for name in _INFOS}

    def render(self) -> Any:
        """There is no picture, because ours have nothing to be compared with."""
        raise NotImplementedError("the engine is built without what draws")

    def close(self) -> None:
        """See Gymnasium."""
        self.env.close()


# Of our options, what upstream's Config has.
_CONFIG = ("action_set", "physics_steps_per_frame", "game_engine_random_seed")


def upstream(scenario: str, **options: Any) -> FootballEnv:
    """Upstream's environment with the same options, by our names.

    Args:
        scenario: Its name.
        **options: Ours.
    """
    config = {name: options.pop(name) for name in _CONFIG if name in options}
    return FootballEnv(scenario, config, **options)


class Environments(Oracle):
    """The scenarios of Google Research Football."""

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`; upstream is built beside the environments for tests."""
        return "" if FOLDER.exists() else "needs envpool built with ENVPOOL_FOOTBALL=ON"

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        scenario = task_id.removeprefix("gfootball/").removesuffix("-v1")
        steps = options.pop("max_episode_steps", SCENARIOS[scenario])
        render_mode = options.pop("render_mode", None)
        env = upstream(scenario, **options)
        env.render_mode = render_mode
        return gymnasium.wrappers.TimeLimit(env, steps)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps."""
        return repeated(space, seed)
