# shellcheck shell=bash
# Sourced by tools/check and tools/quickstart: finds out what is missing on this machine, installs it, and builds a preset.
# Nothing is installed, and apt is not even asked, when everything is there.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache
mkdir -p "$cache"
jobs=$(nproc)

say() { printf '%s\n' "$*"; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command with its output in a file; if it fails, shows the end of that file and stops.
# logged LOG COMMAND...
logged() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        tail -n 25 "$log" >&2
        die "'$*' failed; all of its output is in $log"
    }
}

# version_at_least FOUND WANTED
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

cmake_ok() {
    local found
    found=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p') && [ -n "$found" ] && version_at_least "$found" 3.25
}

# compiler_ok COMMAND: GCC 12 or Clang 14 and later.
compiler_ok() {
    printf '#if !(__clang_major__ >= 14 || (!defined(__clang__) && __GNUC__ >= 12))\n#error too old\n#endif\n' |
        "$1" -x c++ -E - >/dev/null 2>&1
}

# The compiler to use: $CXX if the caller chose one, otherwise the first that is recent enough.
choose_compiler() {
    local name
    for name in ${CXX:-c++ g++ g++-12 clang++ clang++-14}; do
        if compiler_ok "$name"; then
            export CXX=$name
            return
        fi
    done
    return 1
}

# What has to be includable, and the Debian package that brings it.
libraries=(CLI/CLI.hpp=libcli11-dev fmt/format.h=libfmt-dev nlohmann/json.hpp=nlohmann-json3-dev archive.h=libarchive-dev
    hwy/highway.h=libhwy-dev xxhash.h=libxxhash-dev zlib.h=zlib1g-dev gtest/gtest.h=libgtest-dev gmock/gmock.h=libgmock-dev
    eigen3/Eigen/Core=libeigen3-dev)

# Packages of the headers that the compiler does not find, one a line: the preprocessor itself picks the lines to print.
missing_libraries() {
    local pair
    for pair in "${libraries[@]}" omp.h=libomp-dev; do
        printf '#if !__has_include(<%s>)\n%s\n#endif\n' "${pair%=*}" "${pair#*=}"
    done | "$CXX" -x c++ -std=c++20 -E -P -
}

missing_packages() {
    cmake_ok || say cmake
    command -v ninja >/dev/null || say ninja-build
    if choose_compiler; then
        missing_libraries
    else
        say g++ "${libraries[@]#*=}"
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

apt_install() { logged "$cache/apt.log" as_root apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"; }

# The version, without its epoch, that `apt-get install` would bring; nothing if it would bring none.
apt_candidate() { apt-cache policy "$1" | sed -nE 's/^ *Candidate: ([0-9]+:)?([0-9].*)/\2/p'; }

# CMake from PyPI, into a virtual environment of this checkout, where the distribution's is too old.
install_cmake_from_pypi() {
    apt_install python3-venv
    logged "$cache/pip.log" python3 -m venv "$cache/cmake"
    logged "$cache/pip.log" "$cache/cmake/bin/pip" install 'cmake>=3.25,<4'
}

# install_packages PACKAGE...: through apt, with the detours that older releases need.
install_packages() {
    local wanted=" $* "
    # A broken third-party source must not keep the distribution's own packages from being installed.
    as_root apt-get update >"$cache/apt-update.log" 2>&1 </dev/null || say "  apt-get update complained ($cache/apt-update.log); going on"
    if [[ $wanted == *" cmake "* ]] && ! version_at_least "$(apt_candidate cmake)" 3.25; then
        wanted=${wanted/ cmake / }
        install_cmake_from_pypi
    fi
    if [[ $wanted == *" g++ "* ]] && ! version_at_least "$(apt_candidate g++)" 12; then
        wanted=${wanted/ g++ / g++-12 }
    fi
    # shellcheck disable=SC2086  # a list of words
    apt_install $wanted
}

# Makes sure that the compiler, CMake, Ninja and the libraries are there. `install=no` in the environment only looks.
ensure_dependencies() {
    export PATH=$cache/cmake/bin:$PATH
    local missing
    missing=$(missing_packages | paste -sd ' ')
    if [ -n "$missing" ]; then
        command -v apt-get >/dev/null ||
            die "please install GCC 12 or Clang 14, CMake 3.25, Ninja, OpenMP, CLI11, fmt, nlohmann-json, libarchive," \
                "Highway, xxHash, zlib, GoogleTest and Eigen 3; missing here, by Debian's names: $missing"
        [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "missing: $missing; install them as root: apt-get install $missing"
        [ "${install:-yes}" = yes ] || die "missing: $missing; run without --no-install, or: apt-get install $missing"
        say "Installing: $missing"
        # shellcheck disable=SC2086  # a list of words
        install_packages $missing
        hash -r
    fi
    choose_compiler || die "needs GCC 12 or Clang 14; ${CXX:-c++} is neither"
}

# Makes sure that there is the Python that the package is built and tested with, $python: a virtual environment of this checkout.
ensure_python() {
    local packages=(nanobind numpy scipy pytest matplotlib jax)
    python=$cache/python/bin/python
    "$python" -c 'import nanobind, numpy, scipy, pytest, matplotlib, jax' 2>/dev/null && return
    local has_headers='import ensurepip, os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
    [ "${install:-yes}" = yes ] || die "no Python environment with ${packages[*]}; run without --no-install"
    python3 -c "$has_headers" 2>/dev/null || apt_install python3-venv python3-dev
    logged "$cache/pip.log" python3 -m venv "$cache/python"
    logged "$cache/pip.log" "$python" -m pip install "${packages[@]}"
}

# Copies a build log to a file and prints every tenth part of it that is reached.
show_progress() {
    local line finished total shown=-1
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        if [ $((finished * 10 / total)) != "$shown" ]; then
            shown=$((finished * 10 / total))
            printf '  step %d of %d\n' "$finished" "$total"
        fi
    done
}

# configure_and_build PRESET [CMAKE OPTION...]: leaves the build in $build.
configure_and_build() {
    local preset=$1
    shift
    build=$root/build
    [ "$preset" = default ] || build=$root/build-$preset
    mkdir -p "$build"
    say "Building ($preset)"
    (cd "$root" && logged "$build/configure.log" cmake --preset "$preset" "$@")
    : >"$build/build.log"
    if ! cmake --build "$build" -j "$jobs" 2>&1 | show_progress "$build/build.log"; then
        { grep -m 12 -E '^FAILED|error:|undefined reference' "$build/build.log" || tail -n 12 "$build/build.log"; } |
            cut -c 1-240 >&2
        die "the build failed; all of its output is in $build/build.log"
    fi
}
