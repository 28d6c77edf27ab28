#!/bin/sh
# Install what the tests need, build, and run all tests.  README.md here says
# what runs where.
set -eu
cd "$(dirname "$0")/.."

# preset:label.  Of a preset only the tests of its label are built and run, and
# all where there is no label.
rows="asan: tsan:threads none:platform release:release"

sh tests/gate/packages.sh tests
for row in $rows; do
    preset=${row%:*} label=${row#*:}
    # The first run leaves a build without tests behind: say that they are wanted.
    cmake --preset "$preset" -DBUILD_TESTING=ON -DPERFLOG_UPLOT=npm \
        ${PERFLOG_CMAKE_FLAGS:-} >/dev/null
    echo "== building: $preset"
    # What an earlier build left must not be tested in place of this one.
    cmake --build --preset "$preset" --target "${label:+tests_}${label:-all}" \
        >"build/$preset/build.log" 2>&1 || {
        grep -v '^\[' "build/$preset/build.log"
        exit 1
    }
done

# Many tests wait for the time to pass, so more run at once than there are
# processors.  Those that measure it run alone.
jobs=$((2 * $(nproc)))
status=0
for row in $rows; do
    preset=${row%:*} label=${row#*:}
    echo "== testing: $preset"
    ctest --preset "$preset" --no-tests=error -j $jobs ${label:+-L "$label"} ||
        status=1
done
exit $status
