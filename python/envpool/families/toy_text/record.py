"""The record of toy text."""

from envpool.families.record import GYMNASIUM, Family

FAMILY = Family(
    title="Toy text",
    place=20,
    tasks="FrozenLake, Taxi, CliffWalking, Blackjack; NChain, Catch",
    shown="FrozenLake-v1",
    equals=(
        f"Gymnasium {GYMNASIUM}, pictures included; NChain and Catch follow the rules of an old "
        "gym and bsuite"
    ),
    drawn=(
        "Gymnasium's own renderers, from the native environment's state; NChain and Catch, which "
        "Gymnasium does not have, with NumPy"
    ),
    package="envpool.families.toy_text",
    keys="envpool.families.toy_text.keys:keys_of",
    page="toy_text.md",
    upstream={"gymnasium": GYMNASIUM},
)
