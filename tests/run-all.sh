#!/bin/sh
# Install what the tests need, build with sanitizers, and run all tests; then
# the threads under the thread sanitizer, and the build without a sampler.
set -eu
cd "$(dirname "$0")/.."

sh tests/gate/packages.sh tests
for preset in asan tsan none release; do
    # The first run leaves a build without tests behind: say that they are wanted.
    cmake --preset "$preset" -DBUILD_TESTING=ON -DPERFLOG_UPLOT=npm \
        ${PERFLOG_CMAKE_FLAGS:-} >/dev/null
    echo "== building: $preset"
    # What an earlier build left must not be tested in place of this one.
    cmake --build --preset "$preset" >"build/$preset/build.log" 2>&1 || {
        grep -v '^\[' "build/$preset/build.log"
        exit 1
    }
done
status=0
for preset in asan tsan none; do
    echo "== testing: $preset"
    ctest --preset "$preset" --no-tests=error -j 2 || status=1
done
echo "== testing: release (what only shows without sanitizers)"
ctest --preset release --no-tests=error -L release -j 2 || status=1
exit $status
