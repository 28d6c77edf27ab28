#!/bin/sh
# Install the Debian packages that building perflog needs; with the word
# "tests" also those its tests need, with "package" those of clean-root.sh, with
# "fuzz" also those of tests/fuzz/run.sh and tests/gate/coverage.sh, with "windows"
# those of tests/wine/all.sh, with "power" those of tests/crash/power_cut.py, with
# "cross" those of tests/cross/all.sh.  Says nothing if all are there.  What would
# be a running service is not installed: see engines.sh.
set -eu

build="gcc g++ libc6-dev cmake ninja-build pkg-config libzstd-dev libxxhash-dev
       libcsv-dev libmd-dev libxlsxwriter-dev zlib1g-dev scdoc tzdata clang
       bpftool libbpf-dev libncurses-dev libcurl4-openssl-dev libsnappy-dev"
tests="check libsubunit-dev python3 libzstd1 libxxhash0 strace util-linux
       libreoffice-calc-nogui chromium poppler-utils fonts-dejavu-core systemd
       zsh fish iproute2 dpkg-dev file python3-pandas python3-openpyxl
       qemu-system-x86 clang-format clang-tidy locales ccache tmux"
package="dpkg-dev file python3 debootstrap lintian rpm rpmlint systemd-container"
fuzz="clang libclang-rt-14-dev gcovr"
power="qemu-system-x86 busybox-static kmod e2fsprogs xfsprogs btrfs-progs
       lvm2 dmsetup cryptsetup-bin"
cross="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu gcc-s390x-linux-gnu
       g++-s390x-linux-gnu qemu-user-static qemu-system-arm binutils"
windows="gcc-mingw-w64-x86-64-win32 g++-mingw-w64-x86-64-win32 wine64"

wanted=$build
[ "${1:-}" = tests ] && wanted="$build $tests"
[ "${1:-}" = package ] && wanted="$build $package"
[ "${1:-}" = fuzz ] && wanted="$build $tests $fuzz"
[ "${1:-}" = power ] && wanted="$build $power"
[ "${1:-}" = cross ] && wanted="$build $cross"
[ "${1:-}" = windows ] && wanted="$build $tests $windows"

missing=
for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
        grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

run=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "perflog: as root, please: apt-get install$missing" >&2
        exit 1
    }
    run=sudo
fi
echo "perflog: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq
# shellcheck disable=SC2086  # a list of names
$run apt-get install -o DPkg::Lock::Timeout=600 -y -qq --no-install-recommends $missing >/dev/null
