"""Tables of what came of many programs: by form, type, precision and target, and by compiler pass.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections

KINDS = ("refused", "unverified", "trap", "crash", "slow", "wrong")


class Tables:
    def __init__(self):
        self.rows = {title: collections.defaultdict(collections.Counter) for title in ("form", "types", "precision")}
        self.rows["target"] = collections.defaultdict(collections.Counter)
        self.passes = collections.defaultdict(collections.Counter)
        self.programs = 0

    def add(self, forms, types, precision, outcomes):
        """A program with the Outcomes on its targets."""
        self.programs += 1
        for outcome in outcomes:
            for title, names in (("form", forms), ("types", [types]), ("precision", [precision])):
                for name in names:
                    self.rows[title][name].update(["runs", outcome.kind])
            self.rows["target"][outcome.target].update(["runs", outcome.kind])
        for name in {name for outcome in outcomes for name in outcome.passes}:
            changed = any(outcome.passes.get(name) for outcome in outcomes)
            self.passes[name].update(["programs", *(["changed"] if changed else [])])

    def lines(self):
        for title, table in self.rows.items():
            yield f"\n{title:26}" + "".join(f"{kind:>11}" for kind in ("runs", *KINDS))
            for name in sorted(table):
                yield f"{name:26}" + "".join(f"{table[name][kind] or '-':>11}" for kind in ("runs", *KINDS))
        if self.passes:
            yield f"\n{'pass':44} changed so many of {self.programs} programs"
            for name, counts in sorted(self.passes.items(), key=lambda item: (item[1]["changed"], item[0])):
                yield f"{name:44}{counts['changed']:8}"
