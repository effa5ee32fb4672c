#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh TAMIS - traces this machine for a few seconds with demo.py: what `make demo` ends with.
set -eu
tamis=$1
here=$(dirname "$0")
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

show() {
	echo
	printf '$'
	printf ' %s' "$@"
	echo
}

events='sched:sched_wakeup//alias=woken/key=pid/,sched:sched_switch/next_pid>0/since=woken/key=next_pid/'
show tamis python -q -e "'$events'" -i 1000 demo.py
# Ctrl-C after a few seconds: the way a run ends.
status=0
$as_root timeout --foreground -s INT 3.5 "$tamis" python -q -e "$events" -i 1000 "$here/demo.py" || status=$?
[ $status = 124 ] || [ $status = 0 ] || exit $status

show tamis trace -q -e "'syscalls:sys_enter_openat/filename ~ \"/etc/*\"/'" -- cat /etc/hostname
$as_root "$tamis" trace -q -e 'syscalls:sys_enter_openat/filename ~ "/etc/*"/' -- cat /etc/hostname
