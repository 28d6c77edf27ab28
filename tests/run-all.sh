#!/bin/sh
# Install what the tests need, build, and run all of them at once: those of
# Linux, with the word "gate" also those of perflog.exe by Wine, with the word
# "windows" these alone.  With the word "full" what "gate" runs, all of what takes
# long, and the reliability harness.  README.md here says what runs where.
set -eu
cd "$(dirname "$0")/.."

# preset:label.  Of a preset only the tests of its label are built and run, and
# all where there is no label.
rows="asan: tsan:threads none:platform release:release"
targets= # preset:target, which no test of a row needs

add_windows() {
    sh tests/gate/packages.sh windows || true
    for needed in "$(command -v x86_64-w64-mingw32-g++-win32)" /usr/lib/wine/wine64; do
        if [ ! -x "$needed" ]; then
            echo "perflog: no tests for Windows: mingw-w64 or wine64 is missing" \
                "(sh tests/gate/packages.sh windows)"
            return
        fi
    done
    rows="$rows mingw:"
    # What perflog.exe writes is compared with what perflog writes.
    targets="release:perflog"
    trap end_wine EXIT
}

wine_server() { # --begin | --end
    WINEPREFIX=$PWD/build/mingw/wineprefix tests/wine/run.sh "$1"
}

end_wine() {
    wine_server --end || true
    rm -rf build/mingw/wineprefix
}

install() {
    sh tests/gate/packages.sh tests
    fetches_engines=yes
}

fetches_engines=
foreign= # flags for others' sources in perflog.exe, in the gate alone
case "${1:-}" in
"") install ;;
gate)
    install
    add_windows
    foreign=-O1
    ;;
full)
    install
    add_windows
    # What tests of Python (support/harness.py) and C (support/support.h) read.
    export PERFLOG_TEST_FULL=1
    ;;
windows)
    rows=
    add_windows
    [ -n "$rows" ] || exit 0
    ;;
*)
    echo "usage: sh tests/run-all.sh [gate | full | windows]" >&2
    exit 2
    ;;
esac

# Fetched while all is compiled.  Without them push_engines says that they are missing.
fetching=
if [ -n "$fetches_engines" ]; then
    mkdir -p build
    sh tests/gate/engines.sh >build/engines.log 2>&1 &
    fetching=$!
fi

# What is compiled in the same way twice, by two presets or by a test that
# builds a tree of its own, is compiled once.  The cache is this tree's own.
if command -v ccache >/dev/null && [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ]; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_DIR="$PWD/build/ccache" CCACHE_NOHASHDIR=1
    # A file that is new to the cache is not preprocessed for it as well.
    export CCACHE_DEPEND=1
fi

build() { # PRESET TARGET
    # Paths relative to a build, so that these two share what they compile; and
    # to the tree, so that a copy of it elsewhere does (first_run).  The bytes are
    # those that it has without a cache.
    case $1 in
    asan | none) export CCACHE_BASEDIR=/ ;;
    *) export CCACHE_BASEDIR="$PWD" ;;
    esac
    # What an earlier build left must not be tested in place of this one.
    cmake --build --preset "$1" --target "$2" >"build/$1/build.log" 2>&1 || {
        grep -v '^\[' "build/$1/build.log"
        exit 1
    }
}

# The first run leaves a build without tests behind: say that they are wanted.
# One preset is compiled while those after it are configured.
presets=$(printf '%s\n' $rows $targets | cut -d: -f1 | awk '!seen[$0]++')
for preset in $presets; do
    mkdir -p "build/$preset"
    more=
    [ "$preset" != mingw ] || more=-DPERFLOG_FOREIGN_FLAGS=$foreign
    cmake --preset "$preset" -DBUILD_TESTING=ON -DPERFLOG_UPLOT=npm $more \
        ${PERFLOG_CMAKE_FLAGS:-} >/dev/null &
    echo $! >"build/$preset/configuring"
done
configured() { # PRESET, once
    [ ! -e "build/$1/configuring" ] || {
        read -r process <"build/$1/configuring"
        rm "build/$1/configuring"
        wait "$process"
    }
}
for row in $rows; do
    preset=${row%:*} label=${row#*:}
    echo "== building: $preset"
    configured "$preset"
    build "$preset" "${label:+tests_}${label:-all}"
done
for row in $targets; do
    configured "${row%:*}"
    build "${row%:*}" "${row#*:}"
done

[ -z "$fetching" ] || wait "$fetching" || cat build/engines.log

# Many tests wait for the time to pass, so more run at once than there are
# processors.  Those that measure the machine leave room for one other.
python3 tests/gate/one_run.py build/gate $rows
case $rows in
*mingw*) wine_server --begin || true ;;
esac
echo "== testing: $rows"
log=build/gate/Testing/Temporary/LastTest
export CCACHE_BASEDIR="$PWD" # of tests that build: package; first_run's is its copy
run() { # [OPTION...]
    status=0
    ctest --test-dir build/gate --no-tests=error --output-on-failure "$@" ||
        status=$?
    python3 tests/gate/summary.py $log.log
    return $status
}
if run -j $((4 * $(nproc))); then
    [ -n "${PERFLOG_TEST_FULL:-}" ] || exit 0
    echo "== the reliability harness, and all blocks of other writers"
    build release all
    sh tests/crash/all.sh
    build/release/tests/test_block_sweep --full || [ $? -eq 77 ] # skipped
    exit 0
fi
# Wine loses its server now and then, by its own fault, and says so; then, and
# only then, what failed is tried once more.
if grep -q 'wine client error' $log.log &&
    ! grep -qv ':mingw/' "${log}sFailed.log"; then
    echo "== testing: once more what failed: Wine had lost its server"
    run --rerun-failed && exit 0
fi
exit 1
