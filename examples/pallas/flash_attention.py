"""Flash attention of JAX's library for `systole sweep`: which blocks are the fastest?

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.flash_attention import BlockSizes, flash_attention

heads = jax.ShapeDtypeStruct((1, 4, 4096, 128), jnp.bfloat16)
args = (heads, heads, heads)
parameters = {"queries": [1024, 2048, 4096], "keys": [1024, 2048, 4096]}


def attention(q, k, v, queries, keys):
    sizes = BlockSizes(block_q=queries, block_k_major=keys, block_k=keys, block_b=1)
    return flash_attention(q, k, v, block_sizes=sizes)
