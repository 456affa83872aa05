"""What EnvPool has as infos of ViZDoom, by the native names of environments."""

ENVPOOL = {
    "Vizdoom": dict.fromkeys(
        (
            *(f"AMMO{i}" for i in range(2, 8)),
            *("ARMOR", "DAMAGECOUNT", "DEATHCOUNT", "FRAGCOUNT", "HEALTH", "HITCOUNT", "KILLCOUNT"),
            *("SELECTED_WEAPON", "SELECTED_WEAPON_AMMO", "USER2"),
        ),
        "float64 ()",
    )
}
