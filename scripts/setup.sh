#!/usr/bin/env bash
# Installs what Systole needs: setup.sh build|test|dev
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   build  compiler, libraries and tools to build (Debian packages, and a header in .deps)
#   test   `build`, and a Python environment in .venv with the test oracles
#   dev    `test`, and formatter and linter
#
# On Debian 12, as root or with sudo, missing packages are installed. Elsewhere
# the script lists what is missing and stops. With nothing to do it takes well
# under a second.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILD_REQUIREMENTS=scripts/requirements-build.txt
readonly HEADER=.deps/include/pjrt_c_api.h
readonly REQUIREMENTS=scripts/requirements-test.txt
readonly VENV=.venv

build_packages=(
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libclang-rt-22-dev
  libabsl-dev libprotobuf-dev protobuf-compiler libcli11-dev libhwy-dev
  libgtest-dev libgmock-dev libbenchmark-dev libzip-dev zlib1g-dev libzstd-dev
  cmake ninja-build ccache make python3 python3-venv
)
# Programs that link the installed library are built with the system's compiler.
test_packages=(g++ pkgconf)
dev_packages=(clang-format-22 clang-tidy-22)

say() { printf '    %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# Prints those of the given packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      echo "$package"
    fi
  done
}

has_candidate() {
  local version
  version=$(apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ { print $2 }')
  [[ -n "$version" && "$version" != "(none)" ]]
}

apt() {
  local -a root=()
  [[ $EUID -eq 0 ]] || root=(sudo)
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"
}

install_packages() {
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "all $# Debian packages are installed"
    return
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    fail "neither root nor sudo; as root, run: apt-get install ${missing[*]}"
  fi

  say "installing: ${missing[*]}"
  local log package updated=no
  log=$(mktemp)
  for package in "${missing[@]}"; do
    if ! has_candidate "$package"; then
      say "the package lists do not know $package yet; refreshing them"
      apt update >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get update failed"; }
      updated=yes
      break
    fi
  done
  for package in "${missing[@]}"; do
    has_candidate "$package" ||
      fail "no package $package; are bookworm and bookworm-security enabled in /etc/apt?"
  done
  # Stale lists name versions that the archive no longer has: refresh them once and try again.
  if ! apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    if [[ $updated == no ]]; then
      say "installation failed; refreshing the package lists and trying again"
      apt update >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get update failed"; }
      apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
        { cat "$log" >&2; fail "apt-get install failed"; }
    else
      cat "$log" >&2
      fail "apt-get install failed"
    fi
  fi
  rm -f "$log"
}

# On a system that is not Debian 12: name each tool and library that is not in its place.
check_by_hand() {
  local tier=$1 entry
  local -a missing=()
  local -a tools=(clang++-22:clang-22 ld.lld-22:lld-22 mlir-tblgen-22:mlir-22-tools
    FileCheck-22:llvm-22-tools lit-22:llvm-22-tools protoc:protobuf-compiler
    cmake:cmake ninja:ninja-build ccache:ccache python3:python3)
  local -a headers=(absl/base/config.h:libabsl-dev google/protobuf/message.h:libprotobuf-dev
    CLI/CLI.hpp:libcli11-dev hwy/highway.h:libhwy-dev gtest/gtest.h:libgtest-dev
    gmock/gmock.h:libgmock-dev benchmark/benchmark.h:libbenchmark-dev
    zip.h:libzip-dev zlib.h:zlib1g-dev zstd.h:libzstd-dev)
  [[ $tier == build ]] || tools+=(c++:g++ pkg-config:pkgconf)
  [[ $tier == dev ]] && tools+=(clang-format-22:clang-format-22 clang-tidy-22:clang-tidy-22)

  for entry in "${tools[@]}"; do
    command -v "${entry%%:*}" >/dev/null || missing+=("${entry%%:*} (Debian's ${entry#*:})")
  done
  for entry in "${headers[@]}"; do
    [[ -e /usr/include/${entry%%:*} || -e /usr/local/include/${entry%%:*} ]] ||
      missing+=("${entry%%:*} (Debian's ${entry#*:})")
  done
  [[ -e /usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake ]] ||
    missing+=("/usr/lib/llvm-22/lib/cmake/mlir (MLIR 22.1; Debian's libmlir-22-dev)")
  if [[ ${#missing[@]} -gt 0 ]]; then
    printf 'setup: this is not Debian 12, so nothing is installed here. Missing:\n' >&2
    printf '  %s\n' "${missing[@]}" >&2
    exit 1
  fi
  say "not Debian 12, but every tool and library is in its place"
}

# A Python of at least 3.11 that can make virtual environments; Debian's own is preferred.
find_python() {
  local candidate
  for candidate in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
      2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python 3.11 or later with the venv module"
}

# The one file that is needed of a package of 260 MB.
fetch_header() {
  local python wanted temporary
  wanted=$(sha256sum <"$BUILD_REQUIREMENTS")
  if [[ -f $HEADER && "$(cat .deps/installed 2>/dev/null)" == "$wanted" ]]; then
    say "$HEADER is up to date"
    return
  fi
  python=$(find_python)
  say "fetching $HEADER (a download of 63 MB)"
  temporary=$(mktemp -d)
  "$python" -m venv "$temporary/venv"
  # For one platform, whatever this one is: the header is the same for all.
  "$temporary/venv/bin/python" -m pip download --quiet --disable-pip-version-check \
    --only-binary :all: --platform manylinux_2_27_x86_64 --no-deps --require-hashes \
    --dest "$temporary" -r "$BUILD_REQUIREMENTS"
  mkdir -p "${HEADER%/*}"
  "$python" -c 'import sys, zipfile; print(end=zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())' \
    "$temporary"/*.whl xla_plugins/xla_cpu_pjrt/include/pjrt_c_api.h >"$HEADER"
  rm -rf "$temporary"
  echo "$wanted" >.deps/installed
}

make_venv() {
  local python wanted
  python=$(find_python)
  wanted="$("$python" -c 'import sys; print(sys.version)') $(sha256sum <"$REQUIREMENTS")"
  if [[ -x $VENV/bin/python && "$(cat "$VENV/installed" 2>/dev/null)" == "$wanted" ]]; then
    say "the Python environment in $VENV is up to date"
    return
  fi
  say "installing $REQUIREMENTS into $VENV"
  rm -rf "$VENV"
  "$python" -m venv "$VENV"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check \
    --only-binary :all: --no-deps -r "$REQUIREMENTS"
  echo "$wanted" >"$VENV/installed"
}

tier=${1:-build}
case $tier in
build) packages=("${build_packages[@]}") ;;
test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
dev) packages=("${build_packages[@]}" "${test_packages[@]}" "${dev_packages[@]}") ;;
*) fail "usage: setup.sh build|test|dev" ;;
esac

if (. /etc/os-release 2>/dev/null && [[ ${ID:-}:${VERSION_ID:-} == debian:12 ]]); then
  install_packages "${packages[@]}"
else
  check_by_hand "$tier"
fi
fetch_header
if [[ $tier != build ]]; then
  make_venv
fi
