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

# The families whose tests need more than the extra "test" has.
families_apart() {
  needs package
  local name
  for name in $(python .ci/apart.py); do
    ! concerns "*/$name*" || apart test "$name"
  done
}
apart() { # get or test, family
  python .ci/apart.py "$1" "$2" "$work"/wheel/*.whl "$root/build/$2"
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
  "$work/mujoco-4/bin/pytest" -q -k "mujoco or robotics" \
    tests/families/{mujoco,robotics,test_originals.py,test_promises.py}
  discard mujoco-4
}

# The packages of environments that JAX compiles.
jax_environments() {
  concerns python/envpool/{batched,tasks,workers,sb3,recordings,pettingzoo.py} tests/batched \
    tests/recordings/test_batched_recordings.py \
    docs/{turns,jax-environments}.md examples/{ppo,self_play}.py || return 0
  needs package
  python3 -m venv "$work/jax-environments"
  "$work/jax-environments/bin/pip" install -q "$(wheel_with pgx,jumanji,craftax,sb3,examples)" \
    "gymnax==1.0.1" six "brax==0.14.2" "pettingzoo==1.27.0" pygame-ce \
    "pytest>=8" "pytest-xdist>=3.6" "hypothesis>=6.100"
  "$work/jax-environments/bin/pytest" -q -m "not long" tests/batched \
    tests/recordings/test_batched_recordings.py \
    tests/docs/test_docs.py::test_snippets_run[{turns,jax-environments}.md] \
    tests/docs/test_examples.py::test_self_play_learns
  discard jax-environments
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
  concerns python/envpool/{flavours,vector,evaluation} tests/flavours/test_rllib.py examples \
    docs/evaluate.md || return 0
  needs package
  python3 -m venv "$work/ray"
  "$work/ray/bin/pip" install -q "$(wheel_with ray)" "ray==2.60.0" "pytest>=8" "pytest-xdist>=3.6"
  "$work/ray/bin/pytest" -q -n 0 tests/flavours/test_rllib.py
  discard ray
}
