#!/bin/sh
# sh tests/fuzz/run.sh [MINUTES] [TARGET...]: build the fuzz targets with
# libFuzzer, make their corpora, and let each target search for MINUTES
# (default: 1).  New inputs and findings stay under build/fuzz/found/TARGET.
# In the environment, SEED=N repeats a run, and TIMEOUT=N lets an input take
# N seconds (default: 20; more on a machine that is stopped now and then).
# Exit status 1: something was found.
set -eu
cd "$(dirname "$0")/../.."

minutes=${1:-1}
[ $# -gt 0 ] && shift
all="calculator reader copy block delta pack payload csv json cmdline foreign proc region"
targets=${*:-$all}
seed=${SEED:-$(date +%s)}
out=$PWD/build/fuzz
seconds=$(awk "BEGIN { print int($minutes * 60) }")

command -v clang >/dev/null || {
    echo "fuzz: needs clang; run 'sh tests/gate/packages.sh fuzz'" >&2
    exit 1
}
cmake --preset fuzz >/dev/null
names=fuzz_corpus
for t in $targets; do names="$names fuzz_$t"; done
# shellcheck disable=SC2086  # a list of names
cmake --build --preset fuzz --target $names >"$out/build.log" || {
    cat "$out/build.log" >&2
    exit 1
}
"$out/tests/fuzz/fuzz_corpus" "$out/corpus" >/dev/null

status=0
for t in $targets; do
    here=$out/found/$t
    mkdir -p "$here/inputs"
    log=$here/log
    "$out/tests/fuzz/fuzz_$t" -max_total_time="$seconds" -max_len=65536 \
        -timeout="${TIMEOUT:-20}" -rss_limit_mb=2048 -seed="$seed" -close_fd_mask=1 \
        -print_final_stats=1 -artifact_prefix="$here/" \
        "$here/inputs" "$out/corpus/$t" >"$log" 2>&1 && found=0 || found=1
    runs=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
    edges=$(awk '/ cov: / { for (i = 1; i < NF; i++)
                 if ($i == "cov:") n = $(i + 1) } END { print n + 0 }' "$log")
    total=$(sed -n 's/.*Loaded.*modules *(\([0-9]*\) inline.*/\1/p' "$log")
    echo "$t: ${runs:-?} runs, seed $seed, $edges of $total edges," \
        "$found findings"
    if [ $found = 1 ]; then
        status=1
        grep -E 'broken:|ERROR:|runtime error:|SUMMARY|Test unit' "$log" |
            sed 's/^/  /'
    fi
done
exit $status
