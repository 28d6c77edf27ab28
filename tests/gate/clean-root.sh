#!/bin/sh
# The packages on a clean Debian 12: build them, bootstrap a root, and in it
# install, run the service's command line as its user, export, remove, purge;
# then so with a systemd that is booted, by RPM, and with a compiler.
# tests/cli/test_package.py and test_rpm.py do it.  Needs root, debootstrap, a mirror.
# usage: tests/gate/clean-root.sh [SECONDS [FOLDER]]  (60; /tmp/perflog-clean-root)
set -eu
cd "$(dirname "$0")/../.."

[ "$(id -u)" = 0 ] || {
    echo "perflog: only root can do this; the rest is 'ctest -R package'" >&2
    exit 1
}
sh tests/gate/packages.sh package
PERFLOG_CLEAN_ROOT=${2:-/tmp/perflog-clean-root}
PERFLOG_CLEAN_SECONDS=${1:-60}
PERFLOG=$PWD/build/deb/perflog
export PERFLOG PERFLOG_CLEAN_ROOT PERFLOG_CLEAN_SECONDS
# Mounts are made in a namespace of its own, so none is ever left.
cd tests/cli
exec unshare --mount --propagation private python3 -Bm unittest -v \
    test_package test_rpm
