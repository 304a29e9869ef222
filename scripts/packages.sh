# shellcheck shell=bash
#
# The system packages that Perturb needs, and how to install them. Sourced by scripts/run and scripts/test.
#
#   install_packages run|test|web|page-tests
#                               installs missing packages with apt; elsewhere lists the requirements and continues.
#                               `test`
#                               omits what only the page's tests need, the largest part: that is `page-tests`
#   find_glad                   exports PERTURB_GLAD_PYTHON: a Python that has glad 2, the generator of the GL loader
#   find_cuda                   exports CUDACXX and returns 0 if nvcc of CUDA 12 or newer is found
#   nvidia_device               returns 0 if an NVIDIA GPU is found
#
# The caller's folder is the repository root. Dependencies come from the system, never from a copy in the repository.

# Required for every build.
build_packages=(
  g++ cmake ninja-build pkg-config python3
  libglfw3-dev libegl-dev libimgui-dev libglm-dev libtbb-dev libcli11-dev libtomlplusplus-dev
  libhdf5-dev libstb-dev libpng-dev nlohmann-json3-dev libfontconfig-dev libeigen3-dev libxxhash-dev
  libgl1-mesa-dri # GL without a GPU, and EGL without a display
)
# Optional, for speed or appearance: a package that a distribution does not have is reported and left out.
build_optional_packages=(ccache python3-glad python3-venv fonts-inter fonts-dejavu-core portaudio19-dev
  libboost-dev libssl-dev libavcodec-dev libqrencode-dev)

test_packages=(libgtest-dev xvfb xauth xdotool x11-utils ffmpeg python3-h5py)
test_optional_packages=(clang-format clang-tidy shellcheck clang libclang-rt-dev lld)

# For the web page; its tests also control a browser, and check its code.
web_packages=(cmake ninja-build python3 emscripten webp libglm-dev libeigen3-dev libtomlplusplus-dev nlohmann-json3-dev
  libxxhash-dev)
web_test_packages=(chromium chromium-driver firefox-esr python3-selenium eslint node-typescript)

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }

# Prints those arguments that are not installed, one per line.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || say "$package"
  done
}

# Runs as root directly, otherwise through sudo; </dev/null because no command may wait for input (sudo asks on the
# terminal).
as_root() {
  if ((EUID == 0)); then "$@" </dev/null; else sudo "$@" </dev/null; fi
}
# A fresh machine often runs its own updates just after it starts: wait for them instead of failing.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
  local kind=$1 stamp=build/packages-$1.stamp log=build/packages-$1.log
  local required=("${build_packages[@]}") optional=("${build_optional_packages[@]}")
  if [[ $kind == test ]]; then
    required+=("${test_packages[@]}")
    optional+=("${test_optional_packages[@]}")
  elif [[ $kind == web ]]; then
    required=("${web_packages[@]}")
    optional=(ccache)
  elif [[ $kind == page-tests ]]; then
    required=()
    optional=("${web_packages[@]}" "${web_test_packages[@]}")
  fi

  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if [[ -e $stamp || $kind == page-tests ]]; then return 0; fi
    complain "This system has no apt, so nothing is installed for you. Perturb needs a C++20 compiler, CMake 3.22, Ninja," \
      "pkg-config, Python 3 with glad 2, GLFW 3.3, EGL, Dear ImGui, GLM, oneTBB, CLI11, toml++, HDF5, stb, libpng," \
      "nlohmann-json, Eigen 3.3, xxHash and fontconfig$([[ $kind == test ]] && printf '%s' \
        ', and for its tests GoogleTest, Xvfb, xauth, xdotool, xwininfo, ffmpeg and h5py')."
    complain "Optional: Boost 1.74 and OpenSSL (perturb serve), libavcodec (its video), libqrencode (its QR" \
      "code) and PortAudio (sound)."
    mkdir -p build && : >"$stamp"
    return 0
  fi

  # Required packages are checked every time (10 ms). An optional one is tried once: the stamp contains the list that
  # was tried.
  local missing=() missing_optional=() tried
  mapfile -t missing < <(missing_packages "${required[@]}")
  tried=$(cat "$stamp" 2>/dev/null) || true
  if [[ $tried != "${optional[*]}" ]]; then
    mapfile -t missing_optional < <(missing_packages "${optional[@]}")
  fi
  mkdir -p build
  if ((${#missing[@]} + ${#missing_optional[@]} == 0)); then
    say "${optional[*]}" >"$stamp"
    return 0
  fi

  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    if ((${#missing[@]} == 0)); then return 0; fi
    complain "Cannot install missing packages: neither root nor sudo is available. Run this as root:"
    complain "  apt-get update && apt-get install --no-install-recommends ${missing[*]} ${missing_optional[*]}"
    return 1
  fi
  # Before the lists are updated, it is unknown which of the optional ones exist here.
  say "To be installed with apt: ${missing[*]:-nothing that is needed}${missing_optional[*]:+ (and, where there is one: ${missing_optional[*]})}"
  ((EUID == 0)) || say "This needs root's rights: sudo may ask for your password."

  apt_get update >"$log" 2>&1 || say "Warning: 'apt-get update' failed (see $log); continuing with the existing package lists."

  local package known=()
  for package in "${missing_optional[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      known+=("$package")
    else
      say "Not in this system's package lists, going on without it: $package"
    fi
  done
  if ((${#missing[@]} + ${#known[@]})) && ! apt_get install --no-install-recommends -y "${missing[@]}" "${known[@]}" >>"$log" 2>&1; then
    # One optional package that fails must not prevent the installation of the others.
    if ((${#missing[@]})) && ! apt_get install --no-install-recommends -y "${missing[@]}" >>"$log" 2>&1; then
      grep -E '^(E|W|Err)[: ]|Unable|unmet' "$log" | tail -n 12 >&2 || true
      complain "Installing the packages failed; the whole story is in $log."
      return 1
    fi
    for package in "${known[@]}"; do
      apt_get install --no-install-recommends -y "$package" >>"$log" 2>&1 || say "Could not be installed, going on without it: $package"
    done
  fi
  say "${optional[*]}" >"$stamp"
}

# glad 1 had the same package name and another command line.
has_glad2() { "$1" -c 'import glad, jinja2, sys; sys.exit(not glad.__version__.startswith("2."))' >/dev/null 2>&1; }

find_glad() {
  local python
  # /usr/bin first: a Python earlier in PATH does not see the system's packages.
  for python in "${PERTURB_GLAD_PYTHON:-}" /usr/bin/python3 "$(command -v python3 || true)" "$PWD/.venv-glad/bin/python"; do
    if [[ -n $python && -x $python ]] && has_glad2 "$python"; then
      export PERTURB_GLAD_PYTHON=$python
      return 0
    fi
  done
  if [[ ${PERTURB_RUN_NO_INSTALL:-0} == 1 ]]; then
    complain "No Python with glad 2 is found, and PERTURB_RUN_NO_INSTALL=1 forbids to install it (package python3-glad, or glad2 by pip)."
    return 1
  fi
  say "Installing glad2 (generates the OpenGL loader) by pip in the private folder .venv-glad"
  mkdir -p build
  if { python3 -m venv .venv-glad && .venv-glad/bin/python -m pip install --quiet 'glad2>=2.0.4,<3'; } >build/glad.log 2>&1 </dev/null &&
    has_glad2 .venv-glad/bin/python; then
    export PERTURB_GLAD_PYTHON=$PWD/.venv-glad/bin/python
    return 0
  fi
  tail -n 5 build/glad.log >&2
  complain "Installing glad2 failed (build/glad.log). Install it yourself and name its Python in PERTURB_GLAD_PYTHON."
  return 1
}

# CUDA 12 is the first version whose compiler supports C++20.
find_cuda() {
  local nvcc version
  for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    [[ -n $nvcc ]] || continue
    version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p') || continue
    if ((${version:-0} >= 12)); then
      export CUDACXX=$nvcc
      return 0
    fi
  done
  return 1
}

nvidia_device() {
  compgen -G '/dev/nvidia[0-9]*' >/dev/null || { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }
}
