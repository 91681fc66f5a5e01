// RUN: %systole-opt %s --systole-resolve-entry --split-input-file --verify-diagnostics

// expected-error @below {{expects a function '@main' or exactly one public function; found 2 public functions}}
module {
  func.func @a() { return }
  func.func @b() { return }
}

// -----

// expected-error @below {{function 'main' has no body}}
func.func private @main(tensor<4xf32>)
