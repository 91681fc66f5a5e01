#!/usr/bin/env bash
# Prints how many compilations to run at once: one per processor, with 1.5 GiB of memory for each.
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

processors=$(nproc)
by_memory=$(awk '/MemAvailable/ { print int($2 / (1536 * 1024)) }' /proc/meminfo)
jobs=$((by_memory < processors ? by_memory : processors))
echo $((jobs > 0 ? jobs : 1))
