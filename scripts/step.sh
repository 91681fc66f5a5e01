#!/usr/bin/env bash
# Runs a command as a named step and prints its duration: step.sh TITLE COMMAND...
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

title=$1
shift
printf '==> %s\n' "$title"
begin=${EPOCHREALTIME/[.,]/}
"$@"
status=$?
tenths=$(((${EPOCHREALTIME/[.,]/} - begin + 50000) / 100000))
outcome=done
[[ $status -eq 0 ]] || outcome="FAILED (exit code $status)"
printf '    %s: %s in %d.%d s\n' "$title" "$outcome" $((tenths / 10)) $((tenths % 10))
exit $status
