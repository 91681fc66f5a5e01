"""The table of dependencies: licences, and scripts/setup.sh on releases that have other packages.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from systole_cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import check_licences

NOBLE = 'PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
BOOKWORM = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
OTHER = 'PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_ID=42\n'

TABLE = """\
| package | for | found by | version | licence |
|---|---|---|---|---|
| `here-dev` | build | `no-such-header.h` | 1 | MIT |
| `absent-dev` | build | `no-such-command` | 1 | MIT |
| `other-dev` | build | `bash` | 1 | MIT |
| `check` | test | `no-such-checker` | 1 | MIT |
| `format` | dev | `no-such-formatter` | 1 | MIT |
"""

# Stand-ins for Debian's commands: `installed` and `lists` name packages.
COMMANDS = {
    "dpkg-query": 'grep -qx "${@: -1}" "$STATE/installed" && echo -n installed',
    "apt-cache": """for p in "${@:2}"; do
  grep -qx "$p" "$STATE/lists" && printf "%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n" "$p"
done
true""",
    "apt-get": """echo "$@" >>"$STATE/log"
[[ "$*" != *update ]] || cat "$STATE/new" >>"$STATE/lists"
true""",
    "sudo": 'exec "$@"',
}


def test_licences_are_those_of_the_packages():
    assert list(check_licences.failures(check_licences.TABLE.read_text())) == []


def test_another_licence_is_found():
    text = check_licences.TABLE.read_text()
    row = "| `pytest`, `pytest-xdist`, `execnet`, `iniconfig`, `pluggy` | MIT |"
    wrong = text.replace(row, "| `pytest` | BSD-3-Clause |")
    assert wrong != text
    assert list(check_licences.failures(wrong)) == [
        "pytest: the table says BSD-3-Clause, the package MIT",
        "execnet: in requirements-test.txt, but in no table",
        "iniconfig: in requirements-test.txt, but in no table",
        "pluggy: in requirements-test.txt, but in no table",
        "pytest-xdist: in requirements-test.txt, but in no table",
    ]


def test_the_licence_of_a_copyright_file():
    text = "Format: x\n\nFiles: *\nCopyright: 2000 A\nLicense: GPL-3+\n\nFiles: a.c\nLicense: MIT\n"
    assert check_licences.copyright_licence(text) == "GPL-3.0-or-later"
    assert check_licences.copyright_licence(text.replace("Files: *", "Files:\n *")) == "GPL-3.0-or-later"
    assert check_licences.copyright_licence("Copyright 2000 A.") is None


@pytest.fixture
def setup(tmp_path):
    """Runs a copy of setup.sh for a release, with the packages that are installed and known."""
    tree, state, bin = tmp_path / "tree", tmp_path / "state", tmp_path / "bin"
    for folder in (tree / "scripts", tree / "third_party", tree / ".deps/include", state, bin):
        folder.mkdir(parents=True)
    for name in ("setup.sh", "requirements-build.txt"):
        shutil.copy(ROOT / "scripts" / name, tree / "scripts")
    (tree / "third_party/README.md").write_text(TABLE)
    # The header is there, so nothing is fetched.
    digest = hashlib.sha256((tree / "scripts/requirements-build.txt").read_bytes()).hexdigest()
    (tree / ".deps/installed").write_text(f"{digest}  -\n")
    (tree / ".deps/include/pjrt_c_api.h").touch()
    for name, body in COMMANDS.items():
        (bin / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (bin / name).chmod(0o755)

    def run(release, installed=(), lists=(), new=()):
        (tmp_path / "os-release").write_text(release)
        for name, packages in {"installed": installed, "lists": lists, "new": new}.items():
            (state / name).write_text("".join(f"{package}\n" for package in packages))
        (state / "log").write_text("")
        environment = {
            **os.environ,
            "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}",
            "STATE": str(state),
            "SYSTOLE_OS_RELEASE": str(tmp_path / "os-release"),
        }
        done = subprocess.run(
            [tree / "scripts/setup.sh", "build"],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        return done, (state / "log").read_text()

    return run


ALL = ("here-dev", "absent-dev", "other-dev")


def test_nothing_to_install(setup):
    done, log = setup(BOOKWORM, installed=ALL)
    assert done.returncode == 0 and "all 3 Debian packages are installed" in done.stdout
    assert log == ""


def test_another_release_that_has_the_packages(setup):
    done, log = setup(NOBLE, installed=["here-dev"], lists=ALL)
    assert done.returncode == 0, done.stderr
    assert log.splitlines()[-1].endswith("install -y --no-install-recommends absent-dev other-dev")


def test_package_lists_are_refreshed_once(setup):
    done, log = setup(NOBLE, installed=["here-dev"], new=ALL)
    assert done.returncode == 0, done.stderr
    assert [line.split()[-1] for line in log.splitlines()] == ["update", "other-dev"]


def test_a_release_without_some_packages_is_one_error(setup):
    # What `other-dev` has is there without a package.
    done, log = setup(NOBLE, lists=[])
    assert done.returncode == 1
    assert "Ubuntu 24.04 LTS has no packages here-dev absent-dev; enable a repository" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "install" not in log


def test_debian_12_without_some_packages_names_its_own_repositories(setup):
    done, _ = setup(BOOKWORM, installed=["here-dev"], lists=["other-dev"])
    assert "no packages absent-dev; are bookworm and bookworm-security enabled" in done.stderr


def test_a_system_without_debian_packages(setup):
    done, log = setup(OTHER)
    assert done.returncode == 1 and log == ""
    assert done.stderr.splitlines() == [
        "setup: Fedora Linux 42 has no packages of Debian, so nothing is installed here. Missing:",
        "  no-such-header.h (Debian's here-dev)",
        "  no-such-command (Debian's absent-dev)",
    ]
