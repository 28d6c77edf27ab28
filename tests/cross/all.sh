#!/bin/sh
# perflog on other processors: arm64, and s390x, whose bytes are in the other
# order.  Cross-builds with a root file system of each, runs the tests of format
# and analyze by qemu-user, and exchanges logs both ways: what either program
# makes of a log is the same, byte for byte.
#
#     sh tests/cross/all.sh [--kernels] [arm64] [s390x]
#
# With --kernels, arm64's kernels boot, too (tests/kernels/run.py).  Needs a build
# in build/release, and the packages of "sh tests/gate/packages.sh cross"; takes
# about 10 minutes for each.  BUILD names another build.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD
native=${BUILD:-$here/build/release}/perflog
kernels=
wanted=
for word; do
    case $word in
    --kernels) kernels=1 ;;
    *) wanted="$wanted $word" ;;
    esac
done
[ -x "$native" ] || { echo "cross: $native is missing: build it first" >&2; exit 1; }

# The tests of the two parts, as unit.cmake names them.
tests=$(sed -En 's|^ *pl_(fault_)?test\((format\|analyze)/.*/([a-z0-9_]+).*|\3|p' tests/unit/unit.cmake)

build() { # ARCH
    sh tests/cross/root.sh "$1" "$work/sysroot"
    export PKG_CONFIG_SYSROOT_DIR="$work/sysroot"
    export PKG_CONFIG_LIBDIR="$work/sysroot/usr/lib/$triplet/pkgconfig:$work/sysroot/usr/share/pkgconfig"
    cmake -G Ninja -S . -B "$work/build" -DCMAKE_TOOLCHAIN_FILE="$here/tests/cross/toolchain.cmake" \
        -DPERFLOG_CROSS="$1" -DPERFLOG_CROSS_ROOT="$work/sysroot" -DCMAKE_BUILD_TYPE=Release -DPERFLOG_WERROR=ON \
        -DPERFLOG_XLSX=OFF -DPERFLOG_MAN=OFF -DPERFLOG_BPF="$bpf" >"$work/configure.txt"
    targets=perflog
    for test in $tests; do targets="$targets test_$test"; done
    [ "$bpf" = OFF ] || targets="$targets test_linux_ways"
    # shellcheck disable=SC2086 # a list
    cmake --build "$work/build" -j"${JOBS:-2}" --target $targets >"$work/build.txt" ||
        { tail -n 30 "$work/build.txt"; exit 1; }
}

run_tests() {
    # shellcheck disable=SC2086 # a list
    names=$(echo $tests | tr ' ' '|')
    CK_TIMEOUT_MULTIPLIER=20 ctest --test-dir "$work/build" -j"${JOBS:-2}" -R "^($names)\$" --timeout 1800 --output-on-failure \
        >"$work/tests.txt" || { grep -E 'Failed|Timeout|tests passed' "$work/tests.txt"; return 1; }
    grep 'tests passed' "$work/tests.txt"
}

# What a program ("$@") makes of the log $1 goes into the folder $2.
make_of() {
    from=$1
    out=$2
    shift 2
    rm -rf "$out"
    mkdir "$out"
    "$@" verify "$from" >"$out/verify" || [ $? = 2 ]
    "$@" export -q --layout long -c '\*(*)\*' "$from" -o "$out/long.csv"
    "$@" export -q "$from" -o "$out/wide.csv" 2>/dev/null
    "$@" stats "$from" >"$out/stats" 2>&1
    "$@" dump "$from" >"$out/dump"
    "$@" cut -q -c '\System\*' -c '\Process(*)\ID Process' "$from" -o "$out/cut.plog"
    "$@" export -q --layout long "$out/cut.plog" -o "$out/cut.csv"
    rm "$out/cut.plog" # has a session number of its own
    [ -s "$out/long.csv" ] && [ -s "$out/cut.csv" ]
}

exchange() {
    emulator="qemu-$cpu-static -L $work/sysroot"
    rm -f "$work"/*.plog
    "$native" record -q --all -n 4 -i 200ms "$work/here.plog"
    $emulator "$work/build/perflog" record -q -n 4 -i 1s --processes=proc "$work/there.plog"
    for log in here there; do
        make_of "$work/$log.plog" "$work/$log.native" "$native" || return 1
        # shellcheck disable=SC2086 # a command
        make_of "$work/$log.plog" "$work/$log.cross" $emulator "$work/build/perflog" || return 1
        diff -r "$work/$log.native" "$work/$log.cross" >"$work/$log.diff" ||
            { head -n 20 "$work/$log.diff"; return 1; }
        echo "$1: recorded $log: $(cat "$work/$log.native"/* | wc -c) bytes made of $(wc -c <"$work/$log.plog")," \
            "the same by both"
    done
}

status=0
for arch in ${wanted:-arm64 s390x}; do
    case $arch in
    arm64) cpu=aarch64 bpf=ON ;;
    s390x) cpu=s390x bpf=OFF ;;
    *) echo "cross: unknown processor $arch" >&2; exit 1 ;;
    esac
    triplet=$cpu-linux-gnu
    work=$here/build/cross/$arch
    mkdir -p "$work"
    for program in $triplet-gcc qemu-$cpu-static; do
        command -v $program >/dev/null ||
            { echo "cross: $program is missing (sh tests/gate/packages.sh cross)" >&2; exit 77; }
    done
    build "$arch"
    echo "$arch: built$(grep -o ' by .*BPF.*' "$work/configure.txt" || true)"
    run_tests || status=1
    exchange "$arch" || status=1
    [ "$bpf" = OFF ] || [ -z "$kernels" ] ||
        python3 tests/kernels/run.py --short --nice 10 --jobs 1 --arch "$arch" --build "$work/build" \
            --sysroot "$work/sysroot" || status=1
done
exit $status
