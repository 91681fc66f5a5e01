"""The models by name, as functions from a size, "small" or "full", to (function, arguments).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re

import jax

import bert
import bilstm
import gpt2
import inception_v3
import resnet50
import unet

MODELS = {
    "resnet50": resnet50.train,
    "resnet50-remat": resnet50.train_rematerialized,
    "resnet50-inference": resnet50.infer,
    "bilstm": bilstm.train,
    "bert": bert.train,
    "gpt2": gpt2.train,
    "unet": unet.train,
    "inception-v3": inception_v3.infer,
}
# Only their cycles are compared, at sizes that take too long to compute here.
LARGE = {
    "resnet50-large": lambda _: resnet50.train("large"),
    "resnet50-large-bf16": lambda _: resnet50.train_bf16("large"),
    "bilstm-large": lambda _: bilstm.train("large"),
}


def lowered(function, args):
    """A function of all its arguments, lowered by JAX, with short paths to its sources."""
    folder = pathlib.Path(__file__).resolve().parents[2]
    prefix = f"{re.escape(str(folder))}/|.*/site-packages/"
    jax.config.update("jax_hlo_source_file_canonicalization_regex", prefix)
    return jax.jit(function, keep_unused=True).lower(*args)
