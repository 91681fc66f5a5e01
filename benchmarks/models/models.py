"""The models by name, as functions from a size, "small" or "full", to (function, arguments).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re

import jax

import bert
import bilstm
import convnext
import dcgan
import efficientnet
import flash_attention
import gnn
import gpt2
import inception_v3
import llama
import mobilenet
import resnet50
import t5
import unet
import vit

MODELS = {
    "resnet50": resnet50.train,
    "resnet50-remat": resnet50.train_rematerialized,
    "resnet50-inference": resnet50.infer,
    "bilstm": bilstm.train,
    "bert": bert.train,
    "gpt2": gpt2.train,
    "unet": unet.train,
    "vit": vit.train,
    "inception-v3": inception_v3.infer,
    "llama": llama.train,
    "llama-unrolled": llama.train_unrolled,
    "llama-prefill": llama.prefill,
    "llama-prefill-unrolled": llama.prefill_unrolled,
    "llama-decode": llama.decode,
    "llama-decode-unrolled": llama.decode_unrolled,
    "flash-attention": flash_attention.forward,
    "flash-attention-gradient": flash_attention.gradient,
    "mobilenet": mobilenet.train,
    "efficientnet": efficientnet.infer,
    "convnext": convnext.train,
    "t5": t5.train,
    "gnn": gnn.train,
    "dcgan-generator": dcgan.train_generator,
    "dcgan-judge": dcgan.train_judge,
}
# Only their cycles are compared, at sizes that take too long to compute here.
LARGE = {
    "resnet50-large": lambda _: resnet50.train("large"),
    "resnet50-large-bf16": lambda _: resnet50.train_bf16("large"),
    "bilstm-large": lambda _: bilstm.train("large"),
    "vit-large": lambda _: vit.train("full"),
    "gpt2-large": lambda _: gpt2.train("large"),
    "t5-large": lambda _: t5.train("large"),
}


def lowered(function, args):
    """A function of all its arguments, lowered by JAX, with short paths to its sources."""
    folder = pathlib.Path(__file__).resolve().parents[2]
    prefix = f"{re.escape(str(folder))}/|.*/site-packages/"
    jax.config.update("jax_hlo_source_file_canonicalization_regex", prefix)
    return jax.jit(function, keep_unused=True).lower(*args)
