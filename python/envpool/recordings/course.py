"""Course: the way to an episode, from the nearest state that is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from envpool.recordings.player import Player, Row
from envpool.recordings.timeline import Event, Happening

_RESETS = (Event.RESET, Event.SEEDED_RESET)


@dataclasses.dataclass(frozen=True)
class Course:
    """What to do with an environment.

    Attributes:
        options: What has changed its options before.
        origin: The state from which it goes on; None: as it was made.
        happenings: What happened from there to the episode's end.
        first: The step of the episode that the first row is of.
        is_inside: Is the origin a state within the episode?
    """

    options: list[Happening]
    origin: Happening | None
    happenings: list[Happening]
    first: int = 0
    is_inside: bool = False

    def play(self, player: Player, keep: int | None = None) -> tuple[list[Row], bytes]:
        """The rows of the episode, and the environment's state after ``keep`` of its steps.

        The state is empty if it is not asked for, or the episode was over by then.
        """
        for options in self.options:
            player.play(options)
        if self.origin is not None:
            player.start_at(self.origin)
        rows = [player.look(self.origin.call)] if self.origin and self.is_inside else []
        state = player.state() if rows and keep == self.first else b""
        before: tuple[list[Row], bytes] = [], b""
        for happening in self.happenings:
            played = player.play(happening)
            for row in played:
                # A reset that fails in an episode's last step is how that has ended.
                if row.is_first or (row.is_failed_reset and len(played) == 1):
                    before, rows, state = (rows, state), [], b""
                rows.append(row)
            is_over = not played or played[-1].is_last or played[-1].failure
            if not is_over and self.first + len(rows) - 1 == keep:
                state = player.state()
        # The last step may have begun the next episode.
        if len(rows) == 1 and rows[0].is_first and before[0] and before[0][-1].is_last:
            return before
        return rows, state


def find_course(
    happenings: Sequence[Happening], begin: int, start: int, begins_at_once: bool
) -> Course:
    """The shortest way to an episode.

    Args:
        happenings: What happened to its environment before its end.
        begin: How many calls had come before its beginning.
        start: Which step it is wanted from.
        begins_at_once: Did it begin in the step that ended the one before?
    """
    place, is_inside = _place_before(happenings, begin), False
    first = 0
    position = 0 if begins_at_once else None
    for i, happening in enumerate(happenings):
        if happening.call < begin:
            continue
        if happening.event in _RESETS:
            position = 0
        elif happening.event == Event.STATE:
            break  # whether it is at its beginning there is not known
        elif happening.event == Event.KEY_FRAME and position is not None and position <= start:
            place, first, is_inside = i, position, True
        elif happening.event is None:
            position = 0 if position is None else position + 1
    options = (
        [event for event in happenings[:place] if event.event == Event.OPTIONS] if place else []
    )
    if place is None:
        return Course([], None, list(happenings))
    return Course(options[-1:], happenings[place], list(happenings[place + 1 :]), first, is_inside)


def is_state_before(happening: Happening, begin: int) -> bool:
    """Is it a state from which the way to an episode that begins there can go on?"""
    is_before = happening.event == Event.KEY_FRAME and happening.call < begin
    return is_before or (happening.event == Event.STATE and happening.call <= begin)


def _place_before(happenings: Sequence[Happening], begin: int) -> int | None:
    """Of the last state that is known before the episode's beginning."""
    places = [i for i, event in enumerate(happenings) if is_state_before(event, begin)]
    return places[-1] if places else None
