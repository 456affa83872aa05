"""Toy text: FrozenLake, Taxi, CliffWalking, Blackjack, NChain, Catch."""

from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.families.toy_text._toy_text",
    __name__,
    "envpool.families.toy_text.spec:ToyTextEnvSpec",
    drawing="envpool.families.toy_text.drawing",
    infos="envpool.families.toy_text.spec",
)
