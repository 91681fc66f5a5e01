"""Files and classes keep within their limits (`scripts/class_sizes.py`).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import class_sizes  # noqa: E402

SOURCE = """
class First final : public Base {
public:
  First() = default;
  ~First();
  First(const First &) = delete;
  bool operator==(const First &other) const = default;
  friend void swap(First &a, First &b);
  int one() const { return call(2); } // not(counted)
  template <typename T> void two(std::function<void(T)> each);
  virtual llvm::StringRef three(int value = compute(3)) = 0;
  struct Inner {
    void four();
  };
private:
  int field = compute(1), other{};
  llvm::unique_function<void(int)> callback;
  int guarded ABSL_GUARDED_BY(mutex);
  std::vector<int> list = {1, 2};
};
struct alignas(64) Second {
  void five();
};
class SYSTOLE_EXPORT Third : public Base<Class(int)> {
  void six();
};
template <> struct Fourth<int> {
  void seven();
};
"""


def test_project():
    result = subprocess.run([sys.executable, ROOT / "scripts/class_sizes.py"], text=True, capture_output=True)
    assert result.returncode == 0, result.stderr


def test_methods():
    assert list(class_sizes.methods(SOURCE)) == [
        ("First", 3),
        ("Inner", 1),
        ("Second", 1),
        ("Third", 1),
        ("Fourth", 1),
    ]


def test_limits(tmp_path, monkeypatch):
    source = tmp_path / "compiler/a.h"
    source.parent.mkdir()
    source.write_text("class A {\n" + "".join(f"  void f{i}();\n" for i in range(21)) + "};\n" + "\n" * 500)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(class_sizes, "ROOT", tmp_path)
    assert class_sizes.sizes() == {"compiler/a.h": 523, "compiler/a.h:A": 21}


def test_list(tmp_path, monkeypatch, capsys):
    """What has grown fails, and what has shrunk until the list is written."""
    listed = tmp_path / "list.tsv"
    monkeypatch.setattr(class_sizes, "LIST", listed)
    monkeypatch.setattr(sys, "argv", ["class_sizes.py"])
    monkeypatch.setattr(class_sizes, "sizes", lambda: {"a.h:A": 25})
    listed.write_text("a.h:A\t24\n")
    assert class_sizes.main() == 1
    assert "a.h:A: 25, and the limit is 24" in capsys.readouterr().err
    listed.write_text("a.h:A\t26\nb.h:B\t30\n")
    assert class_sizes.main() == 1
    assert "a.h:A b.h:B" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["class_sizes.py", "--update"])
    assert class_sizes.main() == 0
    assert listed.read_text() == "a.h:A\t25\n"
    monkeypatch.setattr(sys, "argv", ["class_sizes.py"])
    assert class_sizes.main() == 0
