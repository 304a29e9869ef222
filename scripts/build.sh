# shellcheck shell=bash
#
# Configures and builds one CMake preset, quietly. Sourced by scripts/run and scripts/test, after packages.sh.
#
#   configure PRESET [-Dname=value ...]      writes build/PRESET; does nothing if it was configured with the same
#   arguments
#   build PRESET [cmake --build arguments]
#   cuda_architectures WITHOUT_DEVICE        prints a value for CMAKE_CUDA_ARCHITECTURES
#
# The output goes to build/PRESET.log. A terminal shows one line of progress; on failure the errors are printed.

processors() { nproc 2>/dev/null || echo 2; }

# The architectures for a CUDA build: as requested, otherwise those of the device, otherwise the argument.
cuda_architectures() {
  if [[ -n ${PERTURB_CUDA_ARCHITECTURES:-} ]]; then
    say "$PERTURB_CUDA_ARCHITECTURES"
  elif nvidia_device; then
    say native
  else
    say "$1"
  fi
}

configure() {
  local preset=$1 folder=build/$1 arguments
  shift
  arguments="$* ${CUDACXX:-}"
  if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    rm -rf "$folder" # the repository was moved or copied, and CMake rejects the old build folder
  fi
  # Ninja runs CMake again by itself when a CMake file changes.
  if [[ -e $folder/build.ninja && $(cat "$folder/configured.stamp" 2>/dev/null) == "$arguments" ]]; then return 0; fi
  mkdir -p "$folder"
  rm -f "$folder/configured.stamp"
  if ! cmake --preset "$preset" "$@" >"$folder.log" 2>&1 </dev/null; then
    tail -n 40 "$folder.log" >&2
    complain "Configuring $preset failed; the whole output is in $folder.log."
    return 1
  fi
  say "$arguments" >"$folder/configured.stamp"
}

# Shows Ninja's lines "[12/80] Building ..." on a single line.
show_progress() {
  local line columns=${COLUMNS:-80}
  while IFS= read -r line; do
    [[ $line == \[* ]] && printf '\r\033[K%s' "${line:0:columns-1}"
  done
  printf '\r\033[K'
}

build() {
  local preset=$1 log=build/$1.log ok=yes
  shift
  if [[ -t 1 ]]; then
    cmake --build --preset "$preset" --parallel "$(processors)" "$@" 2>&1 </dev/null | tee "$log" | show_progress
    ((PIPESTATUS[0] == 0)) || ok=no
  else
    cmake --build --preset "$preset" --parallel "$(processors)" "$@" >"$log" 2>&1 </dev/null || ok=no
  fi
  if [[ $ok == no ]]; then
    # Ninja prints a failed command's output after "FAILED:"; the lines of the others are noise.
    grep -v '^\[[0-9]*/[0-9]*\] ' "$log" | head -n 80 >&2 || true
    complain "Building $preset failed; the whole output is in $log."
    return 1
  fi
}
