# Reads a .sysx as program.proto describes it, without any code of ours.
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import hashlib
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
magic, version, length, digest = struct.unpack_from("<8sII32s", data)
print("magic", magic, "version", version)
print("checksum", "agrees" if hashlib.sha256(data[48:]).digest() == digest else "differs")


def varint(at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at


def fields(at, end):
    while at < end:
        tag, at = varint(at)
        if tag & 7 == 0:
            value, at = varint(at)
        elif tag & 7 == 2:
            size, at = varint(at)
            value, at = (at, at + size), at + size
        else:
            value, at = None, at + (8 if tag & 7 == 1 else 4)
        yield tag >> 3, value


CODE = 18  # the field `code` of ProgramHeader
section = next(value for number, value in fields(48, 48 + length) if number == CODE)
offset, size = (value for _, value in fields(*section))
assert 48 + length <= offset and offset % 64 == 0 and size % 64 == 0
print(f"header ends before byte {offset}, a multiple of 64: code of {size // 64} bundles")
