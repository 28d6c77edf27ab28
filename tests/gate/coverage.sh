#!/bin/sh
# sh tests/gate/coverage.sh [CTEST-OPTION...]: build with gcc --coverage, run the
# tests and print which part of the lines and branches of each folder and file
# they reach.  'sh tests/gate/coverage.sh -R winperf' runs only these tests.  What
# was never run is reported line by line in build/coverage/lines.txt.
set -eu
cd "$(dirname "$0")/../.."

command -v gcovr >/dev/null || {
    echo "coverage: needs gcovr; run 'sh tests/gate/packages.sh fuzz'" >&2
    exit 1
}
cmake --preset coverage >/dev/null
cmake --build --preset coverage >build/coverage/build.log || {
    cat build/coverage/build.log >&2
    exit 1
}
find build/coverage -name '*.gcda' -delete
# Whether tests pass is for the other presets to say: here a program that runs
# as another user cannot write its counts, and complains.
ctest --preset coverage -j 2 "$@" >build/coverage/test.log 2>&1 ||
    sed -n '/^The following tests FAILED/,$p' build/coverage/test.log >&2

# The record.c that tests/fuzz compiles once more would be counted twice.
find build/coverage/tests -name 'record.c.gc*' -delete
gcovr --root . --object-directory build/coverage --gcov-ignore-parse-errors \
    --exclude-directories '.*CMakeFiles/3.*' \
    --filter 'format/' --filter 'analyze/' --filter 'logger/' \
    --exclude-throw-branches --csv -o build/coverage/files.csv \
    --txt build/coverage/lines.txt . >/dev/null

# filename,line_total,line_covered,line_percent,branch_total,branch_covered,...
awk -F, '
function show(name, lt, lc, bt, bc) {
    printf "%-32s %6d %6.1f%% %8d %6.1f%%\n", name, lt,
           lt ? 100 * lc / lt : 100, bt, bt ? 100 * bc / bt : 100
}
NR == 1 {
    printf "%-32s %6s %7s %8s %7s\n", "", "lines", "run", "branches", "taken"
    next
}
{
    folder = $1
    sub(/\/.*/, "", folder)
    lt[folder] += $2; lc[folder] += $3; bt[folder] += $5; bc[folder] += $6
    show($1, $2, $3, $5, $6)
}
END {
    for (f in lt)
        show(f "/ in all", lt[f], lc[f], bt[f], bc[f])
}' build/coverage/files.csv
