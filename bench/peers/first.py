# SPDX-License-Identifier: GPL-2.0-only
"""Says when the first event has come."""

told = False


def __sample__(event):
    global told
    if not told:
        told = True
        print("first", flush=True)
