#!/usr/bin/env bash
# Installs the dependencies of Systole: setup.sh build|test|dev
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   build  compiler, libraries and tools to build (Debian packages, and a header in .deps)
#   test   `build`, and a Python environment in .venv with the test oracles
#   dev    `test`, formatters and linters
#
# On Debian, Ubuntu and their relatives, as root or with sudo, missing packages are installed; a release
# that does not have them all is an error that names them. Elsewhere the script lists the missing tools and
# libraries and stops. The packages are those of the table in third_party/README.md. With nothing to do the
# script takes well under a second.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILD_REQUIREMENTS=scripts/requirements-build.txt
readonly HEADER=.deps/include/pjrt_c_api.h
readonly REQUIREMENTS=scripts/requirements-test.txt
readonly DEV_REQUIREMENTS=scripts/requirements-dev.txt
readonly VENV=.venv

# The rows of third_party/README.md: package|tier|command, header or file by which it is found.
packages_table() {
  sed -nE 's/^\| `([^`]+)` \| (build|test|dev) \| `([^`]+)` \|.*/\1|\2|\3/p' third_party/README.md
}

say() { printf '    %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# Prints the given packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      echo "$package"
    fi
  done
}

# Whether a command, a header or a file is there.
is_found() {
  case $1 in
  /*) [[ -e $1 ]] ;;
  *.h | *.hpp) [[ -e /usr/include/$1 || -e /usr/local/include/$1 ]] ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

# Prints those of the given packages that the package lists do not have.
without_candidate() {
  local -A known=()
  local package
  while read -r package; do known[$package]=yes; done < <(apt-cache policy "$@" 2>/dev/null |
    awk '/^[^ ]/ { name = $1; sub(/:$/, "", name) } /Candidate:/ && $2 != "(none)" { print name }')
  for package in "$@"; do
    [[ -n ${known[$package]:-} ]] || echo "$package"
  done
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
  local log updated=no
  local -a unknown
  log=$(mktemp)
  mapfile -t unknown < <(without_candidate "${missing[@]}")
  if [[ ${#unknown[@]} -gt 0 ]]; then
    say "the package lists do not know ${unknown[*]} yet; refreshing them"
    apt update >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get update failed"; }
    updated=yes
    mapfile -t unknown < <(without_candidate "${missing[@]}")
  fi
  # Some may be there without a package of that name.
  local package
  for package in "${unknown[@]}"; do
    if is_found "$(packages_table | awk -F'|' -v package="$package" '$1 == package { print $3 }')"; then
      say "$package is no package of $release, but what it has is there"
      mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vxF "$package")
      mapfile -t unknown < <(printf '%s\n' "${unknown[@]}" | grep -vxF "$package")
    fi
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ ${#unknown[@]} -gt 0 ]]; then
    fail "$release has no packages ${unknown[*]}; $remedy"
  fi
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

# On a system without Debian's packages: list each missing tool and library.
check_by_hand() {
  local package probe
  local -a missing=()
  while IFS='|' read -r package _ probe; do
    is_found "$probe" || missing+=("$probe (Debian's $package)")
  done < <(wanted_packages)
  if [[ ${#missing[@]} -gt 0 ]]; then
    printf 'setup: %s has no packages of Debian, so nothing is installed here. Missing:\n' "$release" >&2
    printf '  %s\n' "${missing[@]}" >&2
    exit 1
  fi
  say "$release has every tool and library in its place"
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

# The only file needed of a package of 260 MB.
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
  # For one fixed platform: the header is the same for all.
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

# What only developers need, into the same environment: mypy reads JAX's types there.
add_dev_tools() {
  local wanted
  wanted="$(cat "$VENV/installed") $(sha256sum <"$DEV_REQUIREMENTS")"
  if [[ "$(cat "$VENV/installed-dev" 2>/dev/null)" == "$wanted" ]]; then
    say "the tools of $DEV_REQUIREMENTS are up to date"
    return
  fi
  say "installing $DEV_REQUIREMENTS into $VENV"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check \
    --only-binary :all: --no-deps -r "$DEV_REQUIREMENTS"
  echo "$wanted" >"$VENV/installed-dev"
}

tier=${1:-build}
case $tier in
build | test | dev) ;;
*) fail "usage: setup.sh build|test|dev" ;;
esac

# The rows of the table that a tier needs.
wanted_packages() {
  case $tier in
  build) packages_table | grep '|build|' ;;
  test) packages_table | grep -v '|dev|' ;;
  dev) packages_table ;;
  esac
}

# Which system this is; tests name another file.
os_release=${SYSTOLE_OS_RELEASE:-/etc/os-release}
# shellcheck source=/dev/null
[[ ! -r $os_release ]] || . "$os_release"
release=${PRETTY_NAME:-this system}
case ${ID:-}:${VERSION_ID:-} in
debian:12) remedy="are bookworm and bookworm-security enabled in /etc/apt?" ;;
*) remedy="enable a repository that has them, such as LLVM's own for this release, and run this again" ;;
esac

if [[ " ${ID:-} ${ID_LIKE:-} " == *" debian "* ]]; then
  mapfile -t packages < <(wanted_packages | cut -d'|' -f1)
  install_packages "${packages[@]}"
else
  check_by_hand
fi
fetch_header
if [[ $tier != build ]]; then
  make_venv
fi
if [[ $tier == dev ]]; then
  add_dev_tools
fi
