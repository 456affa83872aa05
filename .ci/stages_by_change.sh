# Stages that need packages, or versions of them, that the other stages do not have. They run if what
# they test was changed. Read by .ci/run and .ci/long.

# True if one of these paths, or what all families are made of, has changed since the commit in
# .ci/complete, at which all stages passed. Always true if that is no ancestor, as in a clone without
# history, and with ENVPOOL_CI_ALL=1.
concerns() { # path with wildcards ...
  local passed all=(cpp ':!cpp/envs' ':!cpp/tests' third_party CMakeLists.txt pyproject.toml '.ci/stages*')
  passed=$(<.ci/complete)
  [[ -z ${ENVPOOL_CI_ALL:-} ]] && git merge-base --is-ancestor "$passed" HEAD 2>/dev/null || return 0
  if git diff --quiet "$passed" HEAD -- "${all[@]}" && git diff --quiet "$passed" HEAD -- "$@"; then
    echo "SKIPPED: nothing that this stage tests has changed since $passed"
    return 1
  fi
}

# Procgen's games, whose engine is fetched and kept for the next time.
procgen() {
  concerns '*/procgen*' || return 0
  needs package
  local -x ENVPOOL_PROCGEN=$root/build/procgen
  if ! python -m envpool fetch procgen; then
    echo "SKIPPED: the stage procgen, because Procgen's engine could not be fetched" >&2
    return
  fi
  pytest -q -m "not long" tests/families/procgen "tests/docs/test_docs.py::test_snippets_run[procgen.md]"
}

# ViZDoom's scenarios, with the maps that are in another package.
vizdoom() {
  concerns '*/vizdoom*' || return 0
  needs package
  pip install -q "$(wheel_with vizdoom-maps)"
  pytest -q -m "not long" tests/families/vizdoom "tests/docs/test_docs.py::test_snippets_run[vizdoom.md]"
}

# Meta-World's tasks: pip refuses to install upstream's package beside the MuJoCo that it needs here.
metaworld() {
  concerns '*/metaworld*' || return 0
  needs package
  pip install -q "$(wheel_with metaworld)" scipy==1.17.1 imageio packaging
  pip install -q --no-deps metaworld==3.1.1
  pytest -q -m "not long" tests/families/metaworld "tests/docs/test_docs.py::test_snippets_run[metaworld.md]"
}

# The latest MuJoCo, with which dm_control does not run; all other tests have the one before.
mujoco_4() {
  concerns '*/mujoco*' '*/robotics*' python/envpool/oracles || return 0
  needs package
  python3 -m venv "$work/mujoco-4"
  "$work/mujoco-4/bin/pip" install -q "$(wheel_with mujoco,dm)" "gymnasium==1.4.0" \
    "gymnasium-robotics==1.4.2" "imageio" "packaging" "pytest>=8" "pytest-xdist>=3.6" \
    "hypothesis>=6.100"
  "$work/mujoco-4/bin/python" -c "import mujoco; assert mujoco.__version__.startswith('4.')"
  "$work/mujoco-4/bin/pytest" -q tests/families/{mujoco,robotics}
  discard mujoco-4
}

# In the newcomer's environment, which has all that these tests need but the gym itself and JAX.
old_gym() {
  concerns python/envpool/{flavours,spec} tests/flavours/old_gym || return 0
  [[ -d $work/newcomer ]] || as_newcomer newcomer pytest install
  "$work/newcomer/bin/pip" install -q "gym==0.23.1" jax
  "$work/newcomer/bin/pytest" -q tests/flavours/old_gym
  discard newcomer
}

# RLlib, which pins a Gymnasium, and the examples for Ray.
ray() {
  concerns python/envpool/{flavours,vector} tests/flavours/test_rllib.py examples || return 0
  needs package
  python3 -m venv "$work/ray"
  "$work/ray/bin/pip" install -q "$(wheel_with ray)" "ray==2.60.0" "pytest>=8" "pytest-xdist>=3.6"
  "$work/ray/bin/pytest" -q -n 0 tests/flavours/test_rllib.py
  discard ray
}
