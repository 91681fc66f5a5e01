"""The installed files: other projects find, compile and link them, and see no more than they should.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import BUILD, ROOT, run

PACKAGES = ["absl_status", "absl_statusor", "absl_strings", "protobuf", "libzip"]
HEADERS = sorted(header.name for header in (ROOT / "runtime/Library/include/systole").glob("*.h"))


def test_prefix_has_everything_and_nothing_else(prefix):
    installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
    expected = {f"include/systole/{name}" for name in [*HEADERS, "version.h"]}
    expected |= {f"bin/{name}" for name in ("systole", "systole-opt", "systole-lsp-server")}
    expected |= {f"lib/libsystole{end}" for end in (".a", ".so", ".so.0", ".so.0.1.0", "_pjrt.so")}
    expected |= {"lib/pkgconfig/systole.pc", "share/doc/systole/copyright"}
    assert expected <= installed
    others = installed - expected
    assert all(re.fullmatch(r"lib/cmake/Systole/Systole\w+(-\w+)?\.cmake", path) for path in others), others


def test_files_name_no_place_of_the_build(prefix):
    for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc"), *prefix.rglob("*.h")]:
        assert str(ROOT) not in path.read_text(), path


def test_tools_run(prefix):
    assert "v3" in run(prefix / "bin/systole", "targets")


def build(source, directory, prefix, name):
    """Builds a copy of a project in a folder that has nothing else."""
    shutil.copytree(source, directory / "project")
    run("cmake", "-G", "Ninja", "-B", directory / "build", f"-DCMAKE_PREFIX_PATH={prefix}", directory / "project")
    run("ninja", "-C", directory / "build")
    return directory / "build" / name


def check_dense(printed):
    """Compares the output of examples/embed-* with NumPy."""
    *values, costs = printed.splitlines()
    x = (-1 + 0.0625 * np.arange(32)).reshape(4, 8)
    weights = (0.5 - 0.03125 * np.arange(24)).reshape(3, 8).T
    expected = np.tanh(x @ weights + 0.25 * np.arange(3))
    np.testing.assert_allclose(np.array(values, float), expected.ravel(), rtol=1e-5, atol=1e-6)
    # 4 * 8 * 3 multiply-adds, 4 * 3 additions and hyperbolic tangents.
    assert re.fullmatch(r"[1-9]\d* cycles on v3, 216 flops", costs)


def test_code_of_the_document_compiles(prefix, tmp_path):
    document = (ROOT / "docs/library.md").read_text()
    function, *statements = re.findall(r"^```cpp\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    given = "systole::Device device, std::string_view source"
    body = f"void use({given}) {{\n{''.join(statements)}}}\n"
    (tmp_path / "document.cpp").write_text(f'#include "systole/compiler.h"\n{function}{body}')
    (c,) = re.findall(r"^```c\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    includes = '#include <stdio.h>\n#include <string.h>\n#include "systole/systole.h"\n'
    start = "int start(const char *text, systole_executable *executable) {\n"
    (tmp_path / "document.c").write_text(f"{includes}{start}{c}return !error;\n}}\n")
    checks = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{prefix}/include"]
    run("clang++-22", "-std=c++20", *checks, tmp_path / "document.cpp")
    run("clang-22", "-std=c11", *checks, tmp_path / "document.c")


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_examples_with_cmake(language, prefix, tmp_path):
    program = build(ROOT / f"examples/embed-{language}", tmp_path, prefix, f"embed_{language}")
    check_dense(run(program))


def test_the_c_interface_asks_nothing_of_cpp_projects(prefix, tmp_path):
    """A project in C++14 that does not find abseil."""
    (tmp_path / "main.cpp").write_text(
        '#include "systole/systole.h"\nstatic_assert(__cplusplus == 201402L, "");\n'
        "int main() { return systole_api_version() != SYSTOLE_API_VERSION; }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(c_only LANGUAGES CXX)\n"
        "set(CMAKE_CXX_STANDARD 14)\nset(CMAKE_CXX_EXTENSIONS OFF)\nset(CMAKE_DISABLE_FIND_PACKAGE_absl ON)\n"
        "find_package(Systole 0.1 REQUIRED COMPONENTS c)\n"
        "add_executable(c_only main.cpp)\ntarget_link_libraries(c_only PRIVATE Systole::c)\n"
    )
    source = tmp_path / "source"
    source.mkdir()
    for name in ("main.cpp", "CMakeLists.txt"):
        (tmp_path / name).rename(source / name)
    run(build(source, tmp_path, prefix, "c_only"))


@pytest.mark.parametrize("without_mlir", ["OFF", "ON"])
def test_an_optional_component_comes_beside_the_shared_library(without_mlir, prefix, tmp_path):
    """The static library where its dependencies are there."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(optional LANGUAGES C CXX)\n"
        "find_package(Systole REQUIRED OPTIONAL_COMPONENTS static)\n"
        "foreach(target systole systole_static)\n"
        '  if(TARGET Systole::${target})\n    message(STATUS "target ${target}")\n  endif()\n'
        'endforeach()\nmessage(STATUS "static ${Systole_static_FOUND}")\n'
    )
    printed = run("cmake", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                  f"-DCMAKE_DISABLE_FIND_PACKAGE_MLIR={without_mlir}", tmp_path)  # fmt: skip
    both = ["-- target systole", "-- target systole_static", "-- static TRUE"]
    found = [line for line in printed.splitlines() if line.startswith(("-- target", "-- static"))]
    assert found == (both if without_mlir == "OFF" else ["-- target systole", "-- static "])


INITIALIZED = """#include "systole/systole.h"
int main() {
  systole_report_info info = SYSTOLE_INIT(info);
  const systole_run_options options = SYSTOLE_INIT(options);
  return info.struct_size != sizeof(info) || info.json || info.usd != 0 ||
         options.struct_size != sizeof(options) || options.keep_donated;
}
"""


@pytest.mark.parametrize("compiler", ["c++", "clang++-22"])
@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_structures_are_initialized_without_warnings(compiler, standard, prefix, tmp_path):
    (tmp_path / "init.cpp").write_text(INITIALIZED)
    strict = [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    run(compiler, *strict, f"-I{prefix}/include", tmp_path / "init.cpp", "-o", tmp_path / "init")
    run(tmp_path / "init")


def test_example_with_pkg_config(prefix, tmp_path):
    shutil.copy(ROOT / "examples/embed-c/main.c", tmp_path)
    environment = {"PATH": "/usr/bin:/bin", "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "systole", env=environment).split()
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    run("cc", *strict, "main.c", *flags, f"-Wl,-rpath,{prefix}/lib", "-o", "embed", cwd=tmp_path)
    check_dense(run(tmp_path / "embed"))
    assert run("pkg-config", "--modversion", "systole", env=environment).strip() == "0.1.0"


def test_modules_of_the_callers_mlir_through_the_static_library(prefix, tmp_path):
    program = build(ROOT / "test/library/module", tmp_path, prefix, "module")
    assert run(program) == "square 2.25 4 9\n"


# mlir.h is compiled by test/library/module.
@pytest.mark.parametrize("header", [*(name for name in HEADERS if name != "mlir.h"), "version.h"])
def test_headers_compile_alone(header, prefix, tmp_path):
    source = tmp_path / "header.cpp"
    source.write_text(f'#include "systole/{header}"\n')
    strict = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    run("clang++-22", *strict, f"-I{prefix}/include", source)


def test_c_header_includes_nothing_of_c_plus_plus(prefix, tmp_path):
    source = tmp_path / "header.c"
    source.write_text('#include "systole/systole.h"\nint main(void) { return (int)systole_api_version(); }\n')
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    for compiler in ("cc", "clang-22"):
        run(compiler, *strict, "-fsyntax-only", f"-I{prefix}/include", source)
    text = run("cc", "-std=c11", "-E", f"-I{prefix}/include", source)
    included = set(re.findall(r'^# \d+ "([^<"]+)"', text, re.MULTILINE)) - {str(source)}
    own = {path for path in included if "/systole/" in path}
    assert {path.rsplit("/", 1)[1] for path in own} == {"systole.h", "export.h", "version.h"}
    assert not [path for path in included if re.search("absl|llvm/|mlir|c\\+\\+", path)]
    assert not re.search(r"\b(absl|llvm|mlir|std|google)::|\bPJRT_", text)


def dynamic_symbols(library):
    """Pairs (name, version) of the symbols that a library exports."""
    lines = run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines()
    names = [line.split()[2] for line in lines if line.split()[1] != "A"]
    return [tuple(name.replace("@@", "@").split("@")) for name in names]


def test_shared_library_exports_the_two_interfaces_alone(prefix):
    library = prefix / "lib/libsystole.so"
    assert "SONAME" in run("objdump", "-p", library) and "libsystole.so.0\n" in run("objdump", "-p", library)
    exported = dynamic_symbols(library)
    c = {name for name, version in exported if version == "SYSTOLE_0.1"}
    cpp = {name for name, version in exported if version == "SYSTOLE_CXX_0.1"}
    assert len(exported) == len(c) + len(cpp)

    header = (prefix / "include/systole/systole.h").read_text()
    declared = set(re.findall(r"SYSTOLE_EXPORT\s[^;]*?\b(systole_\w+)\(", header))
    assert c == declared
    # Functions of the namespace systole::v0 that the headers have, and nothing that is nested deeper.
    headers = "".join((prefix / "include/systole" / name).read_text() for name in HEADERS)
    for name in cpp:
        assert re.match(r"_ZN?K?N?K?7systole2v0", name), name
        plain = run("c++filt", name).strip()
        member = re.match(r"systole::v0::(?:\w+::)?~?(\w+)", plain)
        assert member and re.search(rf"\b{member[1]}\(", headers), plain


def test_static_library_hides_what_is_inside(prefix, tmp_path):
    library = tmp_path / "libuser.so"
    run("clang++-22", "-shared", "-fuse-ld=lld", "-Wl,--whole-archive", prefix / "lib/libsystole.a",
        "-Wl,--no-whole-archive", "-o", library)  # fmt: skip
    names = run("c++filt", *[name for name, *_ in dynamic_symbols(library) if "7systole" in name]).splitlines()
    # Instantiations of templates of others are everybody's.
    own = {name for name in names if re.match(r"((vtable|typeinfo|typeinfo name) for )?systole::", name)}
    assert own and all("systole::v0::" in name for name in own), sorted(own)[:10]


def test_version_of_the_package(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\nfind_package(Systole 0.2 REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", tmp_path], capture_output=True, text=True
    )
    assert done.returncode != 0 and "version: 0.1.0" in done.stderr


def test_debian_package(prefix, tmp_path):
    uncompressed = ["-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_STRIP_FILES=OFF"]
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", tmp_path, *uncompressed)
    (package,) = tmp_path.glob("systole_0.1.0_*.deb")
    depends = run("dpkg-deb", "--field", package, "Depends")
    assert all(name in depends for name in ("libabsl", "libprotobuf", "libzip", "libc6", "libstdc++6"))
    assert not re.search("mlir|llvm", depends, re.IGNORECASE)

    run("dpkg-deb", "--extract", package, tmp_path / "root")
    usr = tmp_path / "root/usr"
    files = {path.relative_to(usr) for path in usr.rglob("*")}
    assert files == {path.relative_to(prefix) for path in prefix.rglob("*")}
    shutil.rmtree(tmp_path / "_CPack_Packages")
    check_dense(run(build(ROOT / "examples/embed-c", tmp_path, usr, "embed_c")))


def closures():
    """Of each of the project's static libraries its name, and the archives of its closure, its own first."""
    file = BUILD / "test/library/closures.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: archives for name, *archives in (line.split(";") for line in lines)}


@pytest.mark.parametrize("name", closures())
def test_every_library_links_with_what_it_declares(name, prefix):
    own, *others = closures()[name]
    packages = run("pkg-config", "--libs", *PACKAGES).split()
    run("clang++-22", "-shared", "-fuse-ld=lld", "-Wl,-z,defs", "-Wl,--whole-archive", own, "-Wl,--no-whole-archive",
        "-Wl,--start-group", *others, "-Wl,--end-group", "-L/usr/lib/llvm-22/lib", "-lMLIR", "-lLLVM", *packages,
        "-o", "/dev/null")  # fmt: skip
