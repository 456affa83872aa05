"""Observations and rewards of size one, for pools in which environments finish in any order.

>>> import envpool
>>> from envpool.normalize import Normalizer
>>> env = envpool.make("CartPole-v1", "gymnasium", num_envs=64, batch_size=16)
>>> normalizer = Normalizer(env)
>>> env.async_reset()
>>> observation, reward, terminated, truncated, info = env.recv()
>>> normalizer.observations(observation).dtype
dtype('float32')
>>> normalizer.rewards(reward, terminated, truncated, info).shape
(16,)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.values import AutoresetMode

__all__ = ["Normalizer"]

_STATISTICS = ("mean", "var", "count")


def _running_mean_std() -> Any:
    """Gymnasium's class, which it leaves without types."""
    try:
        from gymnasium.wrappers.utils import RunningMeanStd
    except ImportError as error:
        raise ImportError(f"envpool.normalize needs Gymnasium 1.0 or later ({error})") from error
    return RunningMeanStd


class Normalizer:
    """Normalises what a pool returns, by the rows so far; the pool may be asynchronous.

    For a synchronous pool, the results have the same bits as those of Gymnasium's wrappers
    ``NormalizeObservation`` and ``NormalizeReward``, which need all environments in every step.
    Rows of resets have no reward: they count for observations, and not for returns.

    Args:
        env: A pool of :func:`envpool.make` with Gymnasium's API, of environments of one player.
        gamma: The discount per step of the returns whose variance scales the rewards.
        epsilon: Is added to variances.

    Attributes:
        update_running_mean: Set it to False for evaluation: then the statistics stay as they are.
        obs_rms: Of observations, the ``mean``, ``var`` (variance) and ``count``.
        return_rms: The same of discounted returns.

    Raises:
        TypeError: ``env`` is no such pool.
        ArgumentError: ``gamma`` is not in [0, 1], or ``epsilon`` not greater than 0.
        ImportError: Gymnasium is older than 1.0.
    """

    def __init__(self, env: GymnasiumEnvPool, gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        if not isinstance(env, GymnasiumEnvPool):
            raise TypeError(
                f"env is {shown(env)}, expected a pool of envpool.make(..., 'gymnasium'). (For "
                "gymnasium.make_vec there are Gymnasium's NormalizeObservation, NormalizeReward)"
            )
        if not 0 <= gamma <= 1:
            raise ArgumentError(f"gamma is {shown(gamma)}, expected a number from 0 to 1")
        if not epsilon > 0:
            raise ArgumentError(f"epsilon is {shown(epsilon)}, expected a number greater than 0")
        self.gamma, self.epsilon = gamma, epsilon
        self.update_running_mean = True
        self._shape = env.observation_space.shape
        # The types are Gymnasium's, which makes the results equal to the last bit.
        make_statistics = _running_mean_std()
        self.obs_rms = make_statistics(shape=self._shape or (), dtype=np.float32)
        self.return_rms = make_statistics(shape=())
        self._resets_in_next_step = env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        # Of each environment: the discounted return, and whether its next row is an auto-reset's.
        self._returns = np.zeros(env.num_envs, np.float32)
        self._is_over = np.zeros(env.num_envs, bool)

    def reset(self) -> None:
        """Begins new returns, as Gymnasium's wrapper does; the statistics stay.

        To be called with the pool's ``reset()``, if that is not the first one: its rows have no
        rewards and so do not come by. Resets by ``async_reset`` show in the rows themselves.
        """
        self._returns[:], self._is_over[:] = 0, False

    def observations(self, observation: NDArray[Any]) -> NDArray[np.float32]:
        """Brings observations to mean 0 and variance 1.

        Args:
            observation: Shape ``(n, *observation_space.shape)``, from ``reset``, ``step`` or
                ``recv``, whichever environments they come from.

        Returns:
            A new array of the same shape. Outliers are not clipped.

        Raises:
            ArgumentError: It is no array of this shape, as where observations are dicts.
        """
        shape = observation.shape if isinstance(observation, np.ndarray) else None
        if shape is None or self._shape is None or shape[1:] != self._shape:
            told = f"is {shown(observation)}" if shape is None else f"has shape {shape}"
            raise ArgumentError(
                f"observation {told}, expected an array of shape (n, *{self._shape}); dicts and "
                "tuples are not normalised"
            )
        if self.update_running_mean and len(observation):
            self.obs_rms.update(observation)
        scale = np.sqrt(self.obs_rms.var + self.epsilon)
        normalized: NDArray[np.float32] = ((observation - self.obs_rms.mean) / scale).astype("f4")
        return normalized

    def rewards(
        self,
        reward: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        info: Mapping[str, Any],
    ) -> NDArray[np.float64]:
        """Divides rewards by the standard deviation of discounted returns.

        Call it with all rows that ``step`` or ``recv`` returns, once; each environment has a return
        of its own, which ``info["env_id"]`` finds.

        Args:
            reward: Shape ``(n,)``, and so are the next two.
            terminated: The episode has ended.
            truncated: The episode was cut off.
            info: The pool's infos, of which ``env_id`` and ``elapsed_step`` are used.

        Returns:
            The rewards, shape ``(n,)``.

        Raises:
            ArgumentError: The rows are not one per environment in ``info["env_id"]``.
        """
        env_id, elapsed_step = info["env_id"], info["elapsed_step"]
        columns = {"reward": reward, "terminated": terminated, "truncated": truncated}
        for name, rows in columns.items():
            if np.shape(rows) != np.shape(env_id):
                raise ArgumentError(
                    f"{name} has shape {np.shape(rows)}, expected {np.shape(env_id)}: a row for "
                    "each of info['env_id']"
                )
        done, was_over = terminated | truncated, self._is_over[env_id]
        # A life's first row does not have an elapsed_step of 0, but follows an end.
        is_reset = ((elapsed_step == 0) & ~done) | was_over
        is_step = ~is_reset
        returns = self._returns[env_id]
        returns[is_reset & ~was_over] = 0  # by async_reset
        # Like Gymnasium: in NEXT_STEP a return goes on after a truncation, not at a termination.
        kept = returns[is_step] * self.gamma * (1 - terminated[is_step])
        returns[is_step] = kept + reward[is_step]
        if self.update_running_mean and is_step.any():
            self.return_rms.update(returns[is_step])
        if not self._resets_in_next_step:
            returns[done] = 0
        self._returns[env_id] = returns
        self._is_over[env_id] = done & self._resets_in_next_step
        normalized: NDArray[np.float64] = reward / np.sqrt(self.return_rms.var + self.epsilon)
        return normalized

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Copies of all statistics, for :meth:`load_state_dict`: arrays by name."""
        state = {
            f"{name}.{statistic}": np.array(getattr(getattr(self, name), statistic))
            for name in ("obs_rms", "return_rms")
            for statistic in _STATISTICS
        }
        return state | {
            "returns": self._returns.copy(),
            "is_over": self._is_over.copy(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where another normalizer was, bit for bit.

        Args:
            state: What :meth:`state_dict` returned; its values may also be PyTorch's tensors. If it
                is of another number of environments, their unfinished returns are left out.

        Raises:
            ArgumentError: Something is missing, or observations have another shape.
        """
        expected = self.state_dict()
        if missing := expected.keys() - state.keys():
            raise ArgumentError(
                f"state has no {min(missing)!r}, expected what state_dict() returns"
            )
        values = {name: np.asarray(state[name]).copy() for name in expected}
        shape = values["obs_rms.mean"].shape
        if shape != expected["obs_rms.mean"].shape:
            raise ArgumentError(
                f"state is of observations of shape {shape}, expected {self._shape}"
            )
        for name in ("obs_rms", "return_rms"):
            statistics = getattr(self, name)
            statistics.mean, statistics.var = values[f"{name}.mean"], values[f"{name}.var"]
            statistics.count = float(values[f"{name}.count"])
        if values["returns"].shape == self._returns.shape:
            self._returns, self._is_over = values["returns"], values["is_over"]
