#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# replay-trace.py TRACE FOLDER - does the operations of `lab age --trace` in a mounted folder.
import os
import sys

trace, folder = sys.argv[1:3]
top = os.open(folder, os.O_RDONLY)
files = {}
buf = bytes(1 << 20)


def syncfs():
    import ctypes
    ctypes.CDLL(None).syncfs(top)


def fd(path):
    if path not in files:
        files[path] = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    return files[path]


os.chdir(folder)
for line in open(trace):
    op, *w = line.split()
    if op == "D":
        os.mkdir(w[0])
    elif op == "C":
        fd(w[0])
    elif op == "A":
        left = int(w[1])
        while left:
            left -= os.write(fd(w[0]), buf[:min(left, len(buf))])
    elif op == "X":
        if w[0] in files:
            os.close(files.pop(w[0]))
    elif op == "U":
        if w[0] in files:
            os.close(files.pop(w[0]))
        os.unlink(w[0])
    elif op == "S":
        syncfs()
for f in files.values():
    os.close(f)
syncfs()
