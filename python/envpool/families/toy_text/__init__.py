"""Toy text: FrozenLake, Taxi, CliffWalking, Blackjack, NChain, Catch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def _spec_base() -> type[EnvSpec]:
    from envpool.families.toy_text.spec import ToyTextEnvSpec  # which loads NumPy

    return ToyTextEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.toy_text._toy_text",
    __name__,
    _spec_base,
    drawing="envpool.families.toy_text.drawing",
    infos="envpool.families.toy_text.spec",
)
