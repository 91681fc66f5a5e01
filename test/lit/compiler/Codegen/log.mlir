// Equal messages have one number; each word is an instruction.
// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s

// CHECK: core.log_messages = [{texts = ["x ", ""], typed, values = [i32]}, {texts = ["done"], values = []}]
// CHECK-LABEL: func.func private @says
// CHECK: core.log.word %{{.*}} {message = 0
// CHECK: scf.for
// CHECK: core.log.word %{{.*}} {message = 0
// CHECK: core.log.word %{{.*}} {message = 1
module {
  kernel.func @says grid () () {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    kernel.log %two ["x ", ""] values = [i32] typed
    scf.for %i = %zero to %two step %one : i32 {
      kernel.log %i ["x ", ""] values = [i32] typed
    }
    kernel.log %zero ["done"] values = []
    kernel.return
  }
  func.func @main() {
    kernel.call @says()
    return
  }
}
