# What .ci/run and .ci/long share; they source it, and then are in a clean checkout of HEAD.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
# The same folder each time, because the compiler's cache knows files by their paths.
work=$root/build/ci

# Installs what is missing on a bare machine; some draw without a graphics card, and Procgen's engine
# needs glib.
system_packages() {
  local missing=() package
  for package in git g++ ccache libgtest-dev python3-venv libegl1 libgl1-mesa-dri \
    libosmesa6 libgl1 libglx-mesa0 xvfb libglib2.0-0; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends "${missing[@]}"
}

clean_checkout() {
  if [[ -n $(git -C "$root" status --porcelain) ]]; then
    echo "WARNING: only the last commit is tested, and there are changes that are not committed:"
    git -C "$root" status --short
  fi
  mkdir -p "$root/build"
  exec {lock}>"$root/build/ci.lock"
  flock -n "$lock" || { echo "another run is under way in $root" >&2; exit 1; }
  rm -rf "$work"
  git clone -q "$root" "$work/envpool"
  cd "$work/envpool"
  # The compiler's cache is the user's own, so that a fresh clone finds what another one compiled.
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Folders of builds and of virtual environments may have other names the next time.
  export CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
  # Or else it leaves alone what uses precompiled headers.
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  # Python compiles what it imports. To compile all of torch takes longer than to unpack it.
  export PIP_NO_COMPILE=1
}

# What the package is built with, in the virtual environment of most stages.
tools() {
  python3 -m venv "$work/dev"
  export PATH=$work/dev/bin:$PATH
  pip install -q -r .ci/build-requirements.txt
}

# What developers have beside the package itself.
packages() {
  needs tools
  python .ci/requirements.py dev test examples benchmark wrappers minari notebooks |
    xargs -d '\n' pip install -q
}

# Builds the package once for all stages that do not test how that is done.
package() {
  needs packages
  build_wheel wheel
  pip install -q --no-deps "$work"/wheel/*.whl
  # The stage "wheel" takes them as built before.
  cmake --install build/release --strip --prefix "$work/families" >/dev/null
  discard envpool/build/release
}

# Without isolation, so that a later build finds the objects of this one.
build_wheel() { # name of the folder below $work
  pip wheel -q --no-deps --no-build-isolation --wheel-dir "$work/$1" \
    --config-settings=build-dir=build/release .
}

# Removes folders of $work that no later stage needs: all of them together fill a small disk (14 GB).
discard() {
  (cd "$work" && rm -r "$@")
}

# The wheel as pip's argument, with extras.
wheel_with() {
  local wheels=("$work"/wheel/*.whl)
  echo "${wheels[0]}[$1]"
}

# The line of README that ends in this command: what a newcomer copies is what is tested.
readme_line() {
  grep -x "pip install \"\.\[.*\]\" && $1" README.md
}

# Runs that line, or of it only what is before "&&", in a fresh virtual environment of this name.
as_newcomer() { # name, command, "install" for that part only, another Python
  local line
  line=$(readme_line "$2")
  "${4:-python3}" -m venv "$work/$1"
  (
    source "$work/$1/bin/activate"
    PIP_QUIET=1 bash -exc "${line%${3:+&& $2}}"
  )
}

declare -A ran
run_stages() {
  local stage
  for stage in "$@"; do
    declare -F "$stage" >/dev/null || { echo "there is no stage $stage" >&2; exit 2; }
  done
  for stage in system_packages clean_checkout "$@"; do
    run_stage "$stage"
  done
  printf '\n=== done after %d s\n' "$SECONDS"
  cat "$work/times"
}

run_stage() {
  local begin=$SECONDS
  printf '\n=== %s (after %d s)\n' "${1//_/ }" "$SECONDS"
  $1
  ran[$1]=yes
  [[ ! -d $work ]] || printf '%5d s  %s\n' $((SECONDS - begin)) "${1//_/ }" >>"$work/times"
}

# Runs lists of stages side by side. What they need in common has to have run, and only one list may
# install anything where the others look. What they print comes when they are done.
side_by_side() { # "stage ..." ...
  local list pids=() pid status=0
  for list in "$@"; do
    (
      for stage in $list; do
        run_stage "$stage"
      done
    ) >"$work/output-${list// /-}" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || status=$?
  done
  cat "$work"/output-*
  return $status
}

# Runs a stage that the calling one needs, unless it has run. Each time counts once in the table.
needs() { # stage
  local called=$SECONDS
  [[ -v ran[$1] ]] || run_stage "$1"
  begin=$((begin + SECONDS - called))  # of the calling run_stage
}
