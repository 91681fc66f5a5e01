-- A configuration of nvim-dap for programs of Systole.
--
-- Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
local dap = require("dap")

dap.adapters.systole = { type = "executable", command = "systole", args = { "debug", "--dap" } }

-- A command of the console may move the program; nvim-dap would resume it.
dap.defaults.systole.auto_continue_if_many_stopped = false

dap.configurations.python = {
  {
    type = "systole",
    request = "launch",
    name = "model.mlir on v3",
    program = "model.mlir", -- jax.jit(f).lower(*args).as_text(debug_info=True)
    args = "args.npz", -- arg0, arg1, ...
    target = "v3",
  },
}
