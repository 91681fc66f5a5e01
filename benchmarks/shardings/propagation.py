"""Shardings that propagation gives random programs, against Shardy's.

Prints the share of programs of which the shardings of all arguments and results are equal, and the first others.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys

import random_jax
from random_shardings import Program
from shardy import shardy, signature, systole_opt


def compare(seed):
    """The text of a program, Shardy's shardings, and the compiler's; no text if JAX makes no program of it."""
    # Every other one is one of JAX's.
    try:
        text = Program(seed).text if seed % 2 else random_jax.program(seed)
    except (TypeError, ValueError, NotImplementedError):
        return None, None, None
    return (text, signature(shardy(text, "sdy-propagation-pipeline")),
            signature(systole_opt(text, "--systole-inline-calls", "--systole-propagate-shardings")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--show", type=int, default=3, help="print this many programs of which the shardings differ")
    arguments = parser.parse_args()
    made, others = 0, []
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        try:
            text, expected, actual = compare(seed)
        except Exception as error:
            text, expected, actual = "", None, str(error)
        if text is None:
            continue
        made += 1
        if expected != actual:
            others.append(seed)
            if len(others) <= arguments.show:
                print(f"program {seed}\n  Shardy:  {expected}\n  Systole: {actual}\n{text}")
    print(f"{made - len(others)} of {made} programs have equal shardings; others: {others}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
