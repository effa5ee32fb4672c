#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh GROUP... - installs the Debian packages of the groups that are missing; says nothing when none is.
#
# This is the one place that names packages; a|b is a package that has another name in the other release. Debian 12 and 13, as root or with sudo.
set -eu

build="gcc make libc6-dev clang bpftool libbpf-dev libtraceevent-dev libelf-dev libdw-dev liblzma-dev libiberty-dev zlib1g-dev
libncurses-dev python3-dev"
test="g++ git libcmocka-dev python3-pytest python3-numpy mypy black valgrind tmux procps util-linux
linux-perf bpftrace"
# bcc compiles against kernel headers, of any recent kernel
bench="linux-perf bpftrace python3-bpfcc python3-numpy linux-headers-amd64"
vm="qemu-system-x86 busybox-static cpio kmod xz-utils virtiofsd|qemu-system-common"
cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

installed() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'
}

# Of "a|b" the first that this release has.
pick() {
	for p in $(echo "$1" | tr '|' ' '); do
		if installed "$p" || apt-cache show "$p" >/dev/null 2>&1; then
			break
		fi
	done
	echo "$p"
}

missing() {
	for p in "$@"; do
		case $p in
		*"|"*) p=$(pick "$p") ;;
		esac
		installed "$p" || echo "$p"
	done
}

need=
for group in "$@"; do
	case $group in
	build | test | bench | vm | cross) eval "names=\$$group" ;;
	*) echo "setup.sh: no group $group; there are build test bench vm cross" >&2; exit 2 ;;
	esac
	# shellcheck disable=SC2086
	need="$need $(missing $names)"
done
need=$(echo $need | tr ' ' '\n' | sort -u | tr '\n' ' ')
[ -n "${need% }" ] || exit 0

fail() {
	echo "setup.sh: $1; install them yourself and try again: ${need% }" >&2
	exit 1
}

command -v apt-get >/dev/null || fail "this is no Debian, these packages are missing under their names there"
as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || fail "packages are missing, and there is neither root nor sudo"
	as_root=sudo
fi

echo "setup.sh: installing ${need% }"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}
# shellcheck disable=SC2086
install() {
	apt install -y --no-install-recommends $need
}
# Without package lists, or with old ones, the first try fails.
install || { apt update && install; } || {
	grep -E '^(E|W):' "$log" | head -5 >&2
	fail "apt-get could not install packages"
}
