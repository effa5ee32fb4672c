# SPDX-License-Identifier: GPL-2.0-only
"""Row C's job with a batch handler that reads two columns."""

import sys

number = int(sys.argv[1])
seen = 0


def raw_syscalls__sys_enter__batch(batch):
    global seen
    seen += batch["id"].tolist().count(number)
    batch["_pid"]


def __exit__():
    print(f"seen={seen}", flush=True)
