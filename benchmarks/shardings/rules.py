"""Sharding rules of every StableHLO operation on random shapes, against Shardy's.

Prints each operation with the number of equal rules, and the first rule that differs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import random
import sys

import rule_operations  # noqa: F401 Its functions are in GENERATORS, as are those of the next one.
import rule_reductions  # noqa: F401
from operation_text import GENERATORS
from shardy import rules, shardy, systole_opt

# Operations of which Shardy's rule is not the compiler's, with the reason.
EXCEPTIONS = {}


def program(shapes, seed):
    """A function for each operation and shape, by name."""
    made = {}
    for name, generate in GENERATORS.items():
        for number in range(shapes):
            made[f"{name}.{number}"] = generate(random.Random(f"{seed} {name} {number}"))
    return made


def compare(shapes=20, seed=0):
    """By operation the number of equal rules, and the others as pairs of the two rules and the text."""
    made = program(shapes, seed)
    text = "\n".join(f"func.func public @{name}{body}" for name, body in made.items())
    expected = rules(shardy(text, "func.func(sdy-populate-op-sharding-rules)"))
    actual = rules(systole_opt(text, "--systole-populate-sharding-rules"))
    found = {name: [0, []] for name in GENERATORS}
    for function, body in made.items():
        name = function.partition(".")[0]
        if expected[function] == actual[function]:
            found[name][0] += 1
        else:
            found[name][1].append((expected[function], actual[function], body))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shapes", type=int, default=20, help="shapes of each operation")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    equal = total = 0
    for name, (same, others) in compare(arguments.shapes, arguments.seed).items():
        equal += same
        total += same + len(others)
        print(f"{name:24} {same:3} of {same + len(others)} {EXCEPTIONS.get(name, '')}".rstrip())
        for expected, actual, body in others[:1]:
            print(f"  Shardy:  {expected}\n  Systole: {actual}\n{body}")
    print(f"{equal} of {total} rules are equal, of {len(GENERATORS)} operations")
    return 0 if equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
