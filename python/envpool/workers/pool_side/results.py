"""ResultReader: makes what a pool returns of what its native pool does."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from envpool import _core
from envpool.errors import shown
from envpool.spec.fields import count_rows, row_of
from envpool.spec.infos import FAILURE
from envpool.workers.infos import FINAL_INFO, FINAL_OBS, merge_infos, own_objects
from envpool.workers.letters import Letters, Reply, Why, own, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.spaces import SpaceLeaves

_STEP_ENTRIES = 5  # observation, reward, terminated, truncated, info


class ResultReader:
    """Adds to native results what came by letter: infos, and what is no array.

    Args:
        native: The native pool.
        observation: The leaves of the observation space.
        options: How the pool is run.
        letters: How its workers write.
    """

    def __init__(
        self,
        native: _core.ProcessPool,
        observation: SpaceLeaves,
        options: PoolOptions,
        letters: Letters,
    ) -> None:
        self._native = native
        self._observation = observation
        self._options = options
        self._letters = letters
        self._left_out: set[str] = set()  # of which the pool has warned

    def read(self, parcel: _core.Parcel) -> Any:
        """Results as the pool returns them. The same parcel can be read again.

        Args:
            parcel: What the native pool returned.

        Raises:
            EnvironmentFailure: An environment failed.
            Exception: What an environment returned cannot be unpickled here, with a note that says
                which; or an info is refused, as by Gymnasium; see :func:`merge_infos`.
        """
        native, letters, failures, ended = parcel
        has_extras = (
            letters
            or ended
            or not self._observation.is_native
            or len(native) > _STEP_ENTRIES
            or self._options.row_infos
        )
        if has_extras and not self._options.time_step:
            native = self._with_replies(native, self._open(parcel))
        if failures:
            self._raise(failures, native)
        return native

    def read_apart(self, parcel: _core.Parcel) -> tuple[Any, dict[int, Reply]]:
        """Native results, and by their rows what came by letter, each as its environment said it.

        Args:
            parcel: As for :meth:`read`.

        Raises:
            EnvironmentFailure: An environment failed.
            Exception: What an environment returned cannot be unpickled here.
        """
        native, _, failures, _ = parcel
        replies = self._open(parcel)
        if failures:
            self._raise(failures, native)
        return native, replies

    def _raise(self, failures: Iterable[tuple[int, Why]], results: Any) -> NoReturn:
        lost = [env_id for env_id, _ in self._native.lost_envs()]
        raise_failures(self._letters, failures, results, lost)

    def _open(self, parcel: _core.Parcel) -> dict[int, Reply]:
        """What came along with rows."""
        native, letters, _, ended = parcel
        replies: dict[int, Reply] = {}
        for row, env_id, letter in letters:
            try:
                replies[row] = self._letters.read_reply(letter)
            except Exception as error:
                error.add_note(f"what environment {env_id} returned cannot be unpickled here")
                raise
        _, most = self._native.survived_failures()
        if most > 0:  # infos of environments cannot hide what has failed
            for row, reply in replies.items():
                if FAILURE in reply.info:
                    self._tell_left_out(FAILURE)
                    info = {key: its for key, its in reply.info.items() if key != FAILURE}
                    replies[row] = reply._replace(info=info)
        for row, why in ended:
            reply = replies.get(row, Reply({}))
            told = self._with_failure(reply.info, why, native, row)
            replies[row] = reply._replace(info=told)
        return dict(sorted(replies.items())) if ended else replies

    def _with_failure(
        self, info: dict[Any, Any], why: str, native: tuple[Any, ...], row: int
    ) -> dict[Any, Any]:
        """The info that came along with a row, with the failure that has ended its episode."""
        return info | {FAILURE: why}

    def _with_replies(
        self, native: tuple[Any, ...], replies: Mapping[int, Reply]
    ) -> tuple[Any, ...]:
        """The results with what came along with their rows."""
        is_step = len(native) >= _STEP_ENTRIES
        if is_step or self._observation.arrays:
            count = count_rows(native[1 if is_step else 0])
        else:  # without arrays, every row has a letter
            count = len(replies)
        final_info: dict[str, Any] = {}
        if len(native) > _STEP_ENTRIES:
            *native_step, (_, final_info) = native
            native = tuple(native_step)
        arrays, *columns, info = native
        observation = self._observation.batch(arrays, [its.objects for its in replies.values()])
        if self._options.row_infos:
            infos: list[dict[str, Any]] = [row_of(info, row) for row in range(count)]
            for row, reply in replies.items():
                infos[row] |= own(reply.info) if self._options.num_workers == 0 else reply.info
            return (observation, *columns, infos)
        merged = merge_infos(count, _rows(replies, final_info), strict=self._options.raw_infos)
        self._own(merged)
        # The environments' own infos cannot hide whose rows these are.
        for name in merged.keys() & info.keys():
            if merged.pop(f"_{name}", None) is not None:
                self._tell_left_out(name)
        return (observation, *columns, merged | info)

    def _tell_left_out(self, name: str) -> None:
        """Warns the first time that an info is named like one of the pool's."""
        if name in self._left_out:
            return
        self._left_out.add(name)
        warnings.warn(
            f"the environments' info {shown(name)} is left out: the pool has one of that name, "
            "which means something else; give it another name, or use envpool.vector, which has "
            "no infos of its own",
            stacklevel=2,
        )

    def _own(self, merged: dict[str, Any]) -> None:
        if self._options.num_workers == 0:
            own_objects(merged)


def _rows(
    replies: Mapping[int, Reply], final_info: dict[str, Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The infos of rows: first of an episode that ended, then of the one that began.

    Args:
        replies: What came with the rows.
        final_info: Columns that are infos of the ended episode, too.
    """
    for row, reply in replies.items():
        if reply.final_info is not None:
            pool_infos = {key: column[row] for key, column in final_info.items()}
            final = {FINAL_OBS: reply.final_observation, FINAL_INFO: reply.final_info | pool_infos}
            yield row, final
        yield row, reply.info
