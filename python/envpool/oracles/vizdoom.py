"""The Python package ``vizdoom``: its own environments, and EnvPool's on it and OpenCV."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import gymnasium
import numpy as np
import vizdoom.gymnasium_wrapper
from numpy.typing import NDArray

import vizdoom
from envpool.errors import install
from envpool.families.vizdoom import maps_folder
from envpool.families.vizdoom.registration import ARGUMENTS, SCENARIOS, name_of
from envpool.oracles.upstreams import Oracle, repeated
from envpool.tasks.registry import registry

_INFOS = (
    *(f"AMMO{i}" for i in range(2, 8)),
    *("ARMOR", "DAMAGECOUNT", "DEATHCOUNT", "FRAGCOUNT", "HEALTH", "HITCOUNT", "KILLCOUNT"),
    *("SELECTED_WEAPON", "SELECTED_WEAPON_AMMO", "USER2"),
)
_OF_ALL_EPISODES = ("DAMAGECOUNT", "HITCOUNT", "DEATHCOUNT")
_MOST = {"DAMAGECOUNT": 200.0, "HITCOUNT": 5.0}  # that count in a step
_FULL_HEALTH = 100.0
_LEAST_WIDTH = 320
# Of buttons that exclude each other.
_OPPOSITES = (
    ("MOVE_RIGHT", "MOVE_LEFT"), ("MOVE_BACKWARD", "MOVE_FORWARD"), ("TURN_RIGHT", "TURN_LEFT"),
    ("LOOK_UP", "LOOK_DOWN"), ("MOVE_UP", "MOVE_DOWN"),
    ("SELECT_NEXT_WEAPON", "SELECT_PREV_WEAPON"), ("SELECT_NEXT_ITEM", "SELECT_PREV_ITEM"),
)  # fmt: skip
_WEAPONS = tuple(f"SELECT_WEAPON{i}" for i in range(10))
_PRESSED = 0.3  # how probably a button is, in random actions


def action_set(
    buttons: list[vizdoom.Button], forces_speed: bool, deltas: Mapping[str, Any]
) -> list[list[float]]:
    """The combinations of buttons, in the order of EnvPool's ``BuildActionSet``.

    Args:
        buttons: Those of a game.
        forces_speed: True if SPEED is always pressed.
        deltas: Numbers of values, lowest and highest ones of buttons by their names.
    """
    names = [button.name for button in buttons]
    choices, done = [], set()
    for button in sorted(buttons, key=lambda button: button.value):
        name = button.name
        if name in done:
            continue
        members: Sequence[str] = next((pair for pair in _OPPOSITES if name in pair), (name,))
        if name in _WEAPONS:
            members = sorted(_WEAPONS, key=_number)
        present = [member for member in members if member in names]
        done |= set(present)
        if name.endswith("_DELTA"):
            count, low, high = deltas.get(name, (1, 0, 0))
            step = (np.float32(high) - np.float32(low)) / np.float32(max(int(count) - 1, 1))
            values = [np.float32(low)]
            while len(values) < count:
                values.append(values[-1] + step)
            choices.append([{name: float(value)} for value in values] if count > 1 else [{}])
        elif name == "SPEED" and forces_speed:
            choices.append([{name: 1.0}])
        else:
            choices.append([{}, *({member: 1.0} for member in present)])
    actions = []
    for chosen in itertools.product(*choices):
        pressed = {name: value for one in chosen for name, value in one.items()}
        actions.append([pressed.get(name, 0.0) for name in names])
    return actions


def _number(name: str) -> int:
    return int(getattr(vizdoom.Button, name).value)


class Reward:
    """EnvPool's reward, of the values of variables.

    Args:
        names: The variables, in the game's order.
        worths: What a change by one is worth, upwards and downwards, by name.
        weapons: What a step with a weapon in hand is worth, by its number.
        weapon_duration: From which step with it on.
    """

    def __init__(
        self,
        names: list[str],
        worths: Mapping[str, Any],
        weapons: Mapping[Any, float],
        weapon_duration: int,
    ) -> None:
        self._names, self._duration = names, weapon_duration
        self._worths = {name: tuple(map(np.float32, worths.get(name, (0, 0)))) for name in names}
        self._weapons = {int(weapon): np.float32(worth) for weapon, worth in weapons.items()}
        self._before: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._weapon, self._count = -1, 0
        self.values: dict[str, float] = {}

    def begin(self, values: Any) -> None:
        """An episode begins with these values."""
        given = dict(zip(self._names, values.tolist(), strict=True))
        self._before = {name: given[name] for name in _OF_ALL_EPISODES}
        self._weapon, self._count = -1, 0
        self.step(values, begins=True)

    def step(self, values: Any, begins: bool = False) -> np.float32:
        """The reward of a step that has led to these values."""
        now = dict(zip(self._names, values.tolist(), strict=True))
        now |= {name: now[name] - self._before[name] for name in _OF_ALL_EPISODES}
        last = dict(now) if begins else self._last
        if last["HEALTH"] < 0 and now["HEALTH"] < 0:
            last["HEALTH"] = now["HEALTH"] = _FULL_HEALTH
        elif now["HEALTH"] < 0:
            now["HEALTH"] = last["HEALTH"]
        elif last["HEALTH"] < 0:
            last["HEALTH"] = now["HEALTH"]
        reward = np.float32(0)
        for name in self._names:
            delta = min(now[name] - last[name], _MOST.get(name, np.inf))
            up, down = self._worths[name]
            reward += np.float32(delta * up) if delta >= 0 else np.float32(-delta * down)
        weapon = int(now["SELECTED_WEAPON"])
        self._count = self._count + 1 if weapon == self._weapon else 1
        self._weapon = weapon
        if self._count >= self._duration and now["SELECTED_WEAPON_AMMO"] > 0:
            reward += self._weapons.get(weapon, np.float32(0))
        self._last = self.values = now
        return reward


class VizdoomEnv(gymnasium.Env[Any, Any]):
    """A scenario, driven as EnvPool drives it.

    Args:
        cfg_path: The scenario's configuration.
        wad_path: The scenario.
        game_args: More arguments of the engine.
        max_episode_steps: After how many steps an episode is over.
        render_mode: See Gymnasium.
        **options: Of :func:`envpool.make`, by name.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 8.75}  # noqa: RUF012 - as Gymnasium's

    def __init__(
        self,
        cfg_path: str,
        wad_path: str,
        max_episode_steps: int,
        game_args: str = "",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.render_mode = render_mode
        self._options = options
        self._most, self._skip = max_episode_steps, options["frame_skip"]
        game = self._game = vizdoom.DoomGame()
        game.set_doom_config_path("/dev/null")  # not a file in the working directory
        game.load_config(cfg_path)
        sizes = [(game.get_screen_width(), game.get_screen_height())]
        if sizes[0][0] < _LEAST_WIDTH:
            game.set_screen_resolution(vizdoom.ScreenResolution.RES_320X240)
            sizes.insert(0, (_LEAST_WIDTH, 240))
        self._sizes = [*sizes[1:], (options["img_width"], options["img_height"])]
        weakref.finalize(self, game.close)  # or else what it shares with its engine stays
        game.set_window_visible(False)
        game.add_game_args(game_args)
        game.set_mode(vizdoom.Mode.PLAYER)
        game.set_episode_timeout((max_episode_steps + 1) * self._skip)
        game.set_doom_scenario_path(wad_path)
        game.set_doom_map(options["map_id"])
        for name in _INFOS:
            game.add_available_game_variable(getattr(vizdoom.GameVariable, name))
        names = [variable.name for variable in game.get_available_game_variables()]
        buttons = game.get_available_buttons()
        deltas = options["delta_button_config"]
        self._actions = action_set(buttons, options["force_speed"], deltas)
        self._reward = Reward(
            names,
            options["reward_config"],
            options["selected_weapon_reward_config"],
            options["weapon_duration"],
        )
        self._is_grey = game.get_screen_format() == vizdoom.ScreenFormat.GRAY8
        self._frames: list[NDArray[np.uint8]] = []
        channels = game.get_screen_channels() * options["stack_num"]
        shape = (channels, options["img_height"], options["img_width"])
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        if options["use_combined_action"]:
            self.action_space = gymnasium.spaces.Discrete(len(self._actions))
        else:
            self.action_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(buttons),), np.float64)
        self._elapsed, self._screen = 0, np.zeros(0, np.uint8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See Gymnasium."""
        super().reset(seed=seed)
        if seed is not None:
            self._game.set_seed(seed)
        if self._game.is_running():
            self._game.new_episode()
        else:
            self._game.init()
        self._elapsed = 0
        state = self._game.get_state()
        self._frames = [self._frame(state)] * self._options["stack_num"]
        self._reward.begin(state.game_variables)
        return self._observation(), self._info()

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        if self._options["use_combined_action"]:
            action = self._actions[int(action)]
        self._game.set_action(list(action))
        self._game.advance_action(self._skip, True)
        self._elapsed += 1
        reward = np.float32(0)
        if (state := self._game.get_state()) is not None:
            self._frames = [*self._frames[1:], self._frame(state)]
            reward = self._reward.step(state.game_variables)
        terminated = self._game.is_episode_finished()
        truncated = self._elapsed >= self._most
        return self._observation(), reward, terminated, truncated, self._info()

    def _frame(self, state: Any) -> NDArray[np.uint8]:
        self._screen = screen = state.screen_buffer.copy()
        planes = screen[None] if self._is_grey else screen
        how = cv2.INTER_AREA if self._options["use_inter_area_resize"] else cv2.INTER_LINEAR
        for size in self._sizes:
            planes = [cv2.resize(plane, size, interpolation=how) for plane in planes]
        return np.stack(planes)

    def _observation(self) -> NDArray[np.uint8]:
        return np.concatenate(self._frames)

    def _info(self) -> dict[str, Any]:
        return {name: np.float64(self._reward.values[name]) for name in _INFOS}

    def render(self) -> Any:
        """See Gymnasium; the engine's own screen."""
        screen = self._screen
        return np.stack([screen] * 3, -1) if self._is_grey else screen.transpose(1, 2, 0).copy()

    def close(self) -> None:
        """See Gymnasium."""
        self._game.close()


class Environments(Oracle):
    """The scenarios that EnvPool has."""

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        scenario = _scenario_of(task_id)
        if scenario is None or _path_of(scenario).exists():
            return ""
        return f"needs the maps of envpool-assets: {install('vizdoom-maps')}"

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        scenario = _scenario_of(task_id)
        if scenario is None:
            return gymnasium.make(task_id, disable_env_checker=True, **options)
        config = registry.make_spec(task_id).config._asdict()
        config = {name: config[name] for name in config if not name.endswith("_path")}
        path = _path_of(scenario)
        config |= {"game_args": ARGUMENTS.get(scenario, ""), **options}
        return VizdoomEnv(str(path), str(path.with_suffix(".wad")), **config)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Some buttons pressed, or a combination of them, for some steps."""
        if not isinstance(space, gymnasium.spaces.Box):
            yield from repeated(space, seed)
            return
        rng = np.random.default_rng(seed)
        while True:
            action = (rng.random(space.shape) < _PRESSED).astype(np.float64)
            for _ in range(rng.integers(1, 12)):
                yield action


def _path_of(scenario: str) -> Path:
    path = Path(vizdoom.scenarios_path, f"{scenario}.cfg")
    return path if path.exists() else Path(maps_folder(), path.name)


def _scenario_of(task_id: str) -> str | None:
    names = {name_of(scenario): scenario for scenario in SCENARIOS} | {"VizdoomCustom": "basic"}
    return names.get(task_id.removesuffix("-v1"))
