#!/bin/sh
# Build perflog.exe for Windows and run its tests by Wine; skipped where
# mingw-w64 or Wine is not there and cannot be installed.
set -eu
cd "$(dirname "$0")/../.."

sh tests/gate/packages.sh windows || true
for needed in "$(command -v x86_64-w64-mingw32-g++-win32)" /usr/lib/wine/wine64; do
    if [ ! -x "$needed" ]; then
        echo "perflog: no tests for Windows: mingw-w64 or wine64 is missing" \
            "(sh tests/gate/packages.sh windows)"
        exit 0
    fi
done

build() { # PRESET [OPTION...]: says nothing if it can be built
    cmake --build --preset "$@" >"build/$1/build.log" 2>&1 || {
        grep -v '^\[' "build/$1/build.log"
        exit 1
    }
}

# What perflog.exe writes is compared with what perflog writes.
cmake --preset release ${PERFLOG_CMAKE_FLAGS:-} >/dev/null
build release --target perflog
cmake --preset mingw -DBUILD_TESTING=ON >/dev/null
echo "== building: mingw"
build mingw

prefix=$PWD/build/mingw/wineprefix
end() {
    WINEPREFIX=$prefix tests/wine/run.sh --end || true
    rm -rf "$prefix"
}
trap end EXIT
echo "== testing: mingw"
# Wine loses its server now and then, by its own fault, and says so; then, and
# only then, what failed is tried once more.
ctest --preset mingw --no-tests=error -j 2 || {
    grep -q 'wine client error' build/mingw/Testing/Temporary/LastTest.log ||
        exit 1
    echo "== testing: mingw, once more what failed: Wine had lost its server"
    ctest --preset mingw --no-tests=error --rerun-failed
}
