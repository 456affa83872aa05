"""Player: one environment of a recording, run once more, as it was or as Gymnasium's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, NoReturn

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.flavours.native import make_native
from envpool.recordings.chunks import Event
from envpool.recordings.timeline import Happening
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import batch_of_one
from envpool.tasks.registration import registry
from envpool.workers.letters import RESET_OPTIONS, from_plain
from envpool.workers.pool_side.pool import PythonPool


@dataclasses.dataclass(frozen=True)
class Row:
    """The result of a step or a reset, with an axis of length 1 in front of all arrays.

    Attributes:
        call: How many calls of steps the recorded pool had had before it.
        observation: What was observed.
        reward: The reward; None where an episode begins.
        terminated: Was that the episode's end?
        truncated: Was it cut off?
        info: The infos.
        action: What the environment was given: an array for each field; none for a reset that was
            asked for, or has failed.
        frame: A picture, if they are asked for.
        failure: What the environment's exception said; there is no result then.
    """

    call: int
    observation: Any = None
    reward: NDArray[Any] | None = None
    terminated: bool = False
    truncated: bool = False
    info: Any = None
    action: tuple[NDArray[Any], ...] = ()
    frame: NDArray[np.uint8] | None = None
    failure: str = ""

    @property
    def is_first(self) -> bool:
        """Does an episode begin with it?"""
        return self.reward is None and not self.failure

    @property
    def is_last(self) -> bool:
        """Does an episode end with it?"""
        return self.terminated or self.truncated

    @property
    def is_failed_reset(self) -> bool:
        """Would an episode have begun with it?"""
        return bool(self.failure) and not self.action


class OnePool(GymnasiumEnvPool):
    """A pool whose native pool is called as it was recorded: of one environment, unless told.

    Rewards are float64, of which the recorded ones are roundings.
    """

    def _make_native(self, spec: EnvSpec) -> _core.Pool:
        return make_native(spec, self._plans(spec), reward_dtype="float64")

    def restart(self, seed: int | None, options: dict[str, Any], env: int = 0) -> Any:
        """Resets an environment, with options as native code has them."""
        return self._reset([env], [] if seed is None else [seed], options, False)

    def look(self) -> Any:
        """Returns what a reset would, had it led to where the environment is."""
        return self._reset(np.zeros(0, np.int32), [], {}, True)

    def _reset(self, *arguments: Any) -> Any:
        try:
            return self._pool.reset(*arguments)
        finally:
            self._is_kept[0] = False

    def change(self, options: dict[str, Any], env: int = 0) -> None:
        """Gives an environment other options, as native code has them."""
        self._pool.set_options([options], [env])


class Player:
    """Does to one environment what was done to a recorded one.

    Args:
        pool: A new pool of one environment, which is reset in the step after an episode's end; or
            what is called like one.
        autoreset_mode: That of the recorded pool.

    Attributes:
        draws: True if the next rows get a frame.
    """

    def __init__(
        self, pool: Any, autoreset_mode: Literal["NextStep", "SameStep", "Disabled"]
    ) -> None:
        self._pool = pool
        self._resets_at_once = autoreset_mode == "SameStep"
        self.draws = False
        self._is_over: bool | None = True  # None: nobody knows
        # After a failure: the next step resets it, although its pool does not know.
        self._has_survived = False
        self._reset_options: dict[str, Any] = {}
        self._first_seed: int | None = None  # of an environment that was made again

    def play(self, happening: Happening) -> list[Row]:
        """Plays a happening: yields a row, two where the next episode begins at once, or none.

        Raises:
            RuntimeError: What happened was not recorded.
        """
        event = happening.event
        if event is None:
            return self._step(happening)
        if event in (Event.RESET, Event.SEEDED_RESET):
            return [self._reset(happening)]
        if event == Event.SURVIVED:
            return self._survive(happening)
        if event == Event.RESET_OPTIONS:
            self._reset_options = happening.options
        elif event == Event.OPTIONS:
            self._pool.change(happening.options)
        elif event == Event.MADE:
            self._first_seed = happening.seed
        elif event == Event.STATE:
            self._pool.set_state([happening.content])
            self._is_over, self._has_survived = None, False
        elif event == Event.LOST:
            raise RuntimeError(
                "this part of the recording cannot be replayed: the environment was put into a "
                f"state that could not be saved ({happening.content.decode(errors='replace')})"
            )
        return []

    def start_at(self, key_frame: Happening) -> None:
        """Goes on from there."""
        self._pool.set_state([key_frame.content])
        self._is_over, self._has_survived = None, False

    def look(self, call: int) -> Row:
        """Observes the environment where it is, within an episode."""
        observation, info = self._pool.look()
        self._is_over = False
        return Row(call, observation, info=info, frame=self._frame())

    def state(self) -> bytes:
        """A snapshot of the environment."""
        state: bytes = self._pool.get_state()[0]
        return state

    def close(self) -> None:
        """Ends the environment."""
        self._pool.close()

    def _reset(self, happening: Happening) -> Row:
        options, self._reset_options = self._reset_options, {}
        first_seed, self._first_seed = self._first_seed, None
        seed = first_seed if happening.seed is None else happening.seed
        try:
            observation, info = self._pool.restart(seed, options)
        except EnvironmentFailure as failure:
            return self._failed(happening, failure)
        self._is_over = self._has_survived = False
        return Row(happening.call, observation, info=info, frame=self._frame())

    def _survive(self, happening: Happening) -> list[Row]:
        """Repeats the reset that has followed a failure, whether there was one this time or not."""
        row = self._reset(happening)
        if self._resets_at_once:
            return [row if row.failure else self._reset(happening)]
        self._has_survived = True
        return []

    def _step(self, happening: Happening) -> list[Row]:
        if self._has_survived:
            return [self._reset(happening)]
        rows = [self._step_once(happening)]
        if self._is_over and self._resets_at_once and not rows[0].failure:
            rows.append(self._step_once(happening))  # whose action is ignored
        return rows

    def _step_once(self, happening: Happening) -> Row:
        action = happening.action
        try:
            results = self._pool.step(action[0] if len(action) == 1 else action)
        except EnvironmentFailure as failure:
            return self._failed(happening, failure)
        observation, reward, terminated, truncated, info = results
        frame = self._frame()
        if self._is_over is None:  # but for the next of several lives, which no state tells
            self._is_over = bool(info["elapsed_step"][0] == 0)
        if self._is_over:
            self._is_over = False
            return Row(happening.call, observation, info=info, frame=frame)
        ends = bool(terminated[0]), bool(truncated[0])
        self._is_over = any(ends)
        return Row(happening.call, observation, reward, *ends, info, action, frame)

    def _failed(self, happening: Happening, failure: EnvironmentFailure) -> Row:
        action = () if self._is_over else happening.action
        self._is_over = True
        return Row(happening.call, failure=failure.messages[0], action=action)

    def _frame(self) -> NDArray[np.uint8] | None:
        if not self.draws:
            return None
        picture: NDArray[np.uint8] = self._pool.render()[0]
        return picture


class PythonOnePool:
    """One environment written in Python, with what a :class:`Player` asks of a pool.

    Args:
        pool: What runs it, and resets it in the step after an episode's end.
    """

    def __init__(self, pool: PythonPool) -> None:
        self._pool = pool
        self._has_failed = False

    def restart(self, seed: int | None, options: dict[str, Any]) -> Any:
        """Resets the environment, with options as the recording has them.

        Raises:
            ArgumentError: They are none.
        """
        try:
            given = from_plain(options[RESET_OPTIONS]) if options else None
        except (KeyError, TypeError, ValueError):
            raise ArgumentError(
                f"the recording has the reset options {shown(options)}: no pool has written it"
            ) from None
        return self._call(self._pool.reset, None, [] if seed is None else [seed], given, False)

    def step(self, action: Any) -> Any:
        """Steps the environment.

        Args:
            action: An array with one row, or a tuple with one for each leaf of the space.

        Raises:
            RuntimeError: It has failed before, and was stepped on when it was recorded.
        """
        if self._has_failed:
            raise RuntimeError("the environment has failed, which it did not when it was recorded")
        arrays = action if isinstance(action, tuple) else (action,)
        return self._call(self._pool.step, self._pool.action_leaves.assemble(arrays), None)

    def _call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        self._has_failed = False
        try:
            return method(*arguments)
        except EnvironmentFailure:
            self._has_failed = True
            raise

    def render(self) -> NDArray[np.uint8]:
        """A picture of it, with an axis of length 1 in front.

        Raises:
            ArgumentError: It returns none.
        """
        try:
            picture = np.stack(self._pool.call("render"))
        except EnvironmentFailure as failure:
            raise ArgumentError(f"the environment cannot be drawn: {failure}") from failure
        if picture.dtype != np.uint8 or picture.shape[3:] != (3,):
            raise ArgumentError(
                "the environment cannot be drawn: its render() returned no picture, expected an "
                "array of uint8 of shape (height, width, 3)"
            )
        return picture

    def get_state(self) -> list[bytes]:
        """A snapshot of it, if it can be saved; see :meth:`PythonPool.get_state`."""
        return self._pool.get_state()

    def change(self, _: Any) -> NoReturn:
        """Refused, as are states: recordings of such environments have neither.

        Raises:
            ArgumentError: Always.
        """
        raise ArgumentError(
            "the recording has options or states of an environment written in Python: no pool has "
            "written it"
        )

    set_state = change

    def close(self) -> None:
        """Ends it."""
        self._pool.close()


def unusual_options(spec: EnvSpec, task_id: str) -> dict[str, Any]:
    """The own options of environment 0 that have other values than the task's."""
    given, usual = spec.options.given_of(0), registry.make_spec(task_id).options.given_of(0)
    return {name: value for name, value in given.items() if value != usual[name]}


class UpstreamEnv:
    """One environment of Gymnasium's, as a pool of one that resets in the step after an end.

    Args:
        spec: What is recorded, for one environment.
        task_id: The task.

    Raises:
        ArgumentError: Gymnasium has no such environment, or none with these options.
        ImportError: What the environment needs is not installed.
    """

    def __init__(self, spec: EnvSpec, task_id: str) -> None:
        options = unusual_options(spec, task_id)
        limit, mode = spec.config.max_episode_steps, spec.config.render_mode
        try:
            self._env: Any = gymnasium.make(
                task_id, max_episode_steps=limit, render_mode=mode, **options
            )
        except gymnasium.error.DependencyNotInstalled as error:
            raise ImportError(f"Gymnasium's {task_id} cannot be made: {error}") from error
        except (gymnasium.error.Error, TypeError) as error:
            raise ArgumentError(f"Gymnasium has no {task_id} with {options}: {error}") from error
        self._seed: int | None = spec.options.seeds()[0]
        self._is_over = True
        self._is_single = spec.spaces.observation_structure == "single"

    def restart(self, seed: int | None, options: dict[str, Any]) -> Any:
        """Resets it. Without a seed it goes on with its generator, which had one at first."""
        seed, self._seed = self._seed if seed is None else seed, None
        observation, _ = self._env.reset(seed=seed, options=options or None)
        self._is_over = False
        return self._shown(observation), {}

    def step(self, action: Any) -> Any:
        """Steps it, or resets it if its episode is over; it has no infos."""
        if self._is_over:
            observation, info = self.restart(None, {})
            return observation, np.zeros(1), np.zeros(1, bool), np.zeros(1, bool), info
        observation, reward, terminated, truncated, _ = self._env.step(_action(action))
        self._is_over = bool(terminated or truncated)
        ends = np.array([[terminated], [truncated]], bool)
        return self._shown(observation), np.array([reward], float), *ends, {}

    def render(self) -> NDArray[np.uint8]:
        """A picture of it, with an axis of length 1 in front."""
        picture: NDArray[np.uint8] = np.asarray(self._env.render())[None]
        return picture

    def close(self) -> None:
        """Ends it."""
        self._env.close()

    def _shown(self, observation: Any) -> Any:
        # Blackjack's three numbers are one array in EnvPool's dialect.
        if self._is_single and isinstance(observation, tuple):
            observation = np.array(observation)
        return batch_of_one(observation)


def _action(action: Any) -> Any:
    one = action[0]
    return int(one) if one.ndim == 0 and one.dtype.kind in "biu" else one
