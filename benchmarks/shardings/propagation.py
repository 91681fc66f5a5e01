"""Shardings that propagation gives random programs, against Shardy's.

Prints the share of programs of which the shardings of all arguments and results are equal, and the first others.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys

import random_jax
from models import MODELS
from random_shardings import Program
from shardy import shardy, signature, systole_opt


def compare_text(text):
    """Shardy's shardings of a program's arguments and results, and the compiler's."""
    return (
        signature(shardy(text, "sdy-propagation-pipeline")),
        signature(systole_opt(text, "--systole-inline-calls", "--systole-propagate-shardings")),
    )


def compare(seed):
    """The text of a program, Shardy's shardings, and the compiler's; no text if JAX makes no program of it."""
    # Every other one is one of JAX's.
    try:
        text = Program(seed).text if seed % 2 else random_jax.program(seed)
    except (TypeError, ValueError, NotImplementedError):
        return None, None, None
    return (text, *compare_text(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--show", type=int, default=3, help="print this many programs of which the shardings differ")
    arguments = parser.parse_args()
    made, others = 0, []
    for name, model in MODELS.items():
        expected, actual = compare_text(model().lowered())
        pairs = list(zip(expected[0] + expected[1], actual[0] + actual[1], strict=True))
        same = sum(a == b for a, b in pairs)
        print(f"{name}: {same} of {len(pairs)} arguments and results have equal shardings")
        if same < len(pairs):
            others.append(name)
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
            if arguments.show > 0:
                arguments.show -= 1
                print(f"program {seed}\n  Shardy:  {expected}\n  Systole: {actual}\n{text}")
    failed = [seed for seed in others if seed not in MODELS]
    print(f"{made - len(failed)} of {made} programs have equal shardings; others: {others}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
