#!/bin/sh
# sh tests/fuzz/run.sh [MINUTES] [TARGET...]: build the fuzz targets with
# libFuzzer, make their corpora, and let each target search for MINUTES
# (default: 1).  New inputs and findings stay under build/fuzz/found/TARGET.
# SEED=N in the environment repeats a run.  Exit status 1: something was found.
set -eu
cd "$(dirname "$0")/../.."

minutes=${1:-1}
[ $# -gt 0 ] && shift
all="calculator reader block delta payload csv json cmdline proc"
targets=${*:-$all}
seed=${SEED:-$(date +%s)}
out=$PWD/build/fuzz
seconds=$(awk "BEGIN { print int($minutes * 60) }")

command -v clang >/dev/null || {
    echo "fuzz: needs clang; apt-get install clang libclang-rt-14-dev" >&2
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

# Lines of our own files that the inputs reach, if llvm's tools are here.
lines_covered() {
    command -v llvm-cov-14 >/dev/null || return 0
    [ -x "build/fuzz-lines/tests/fuzz/fuzz_$1" ] || return 0
    LLVM_PROFILE_FILE="$out/$1.profraw" timeout 600 \
        "build/fuzz-lines/tests/fuzz/fuzz_$1" "$out/found/$1/inputs" \
        "$out/corpus/$1" >/dev/null 2>&1 || true
    llvm-profdata-14 merge -o "$out/$1.profdata" "$out/$1.profraw"
    llvm-cov-14 report "build/fuzz-lines/tests/fuzz/fuzz_$1" \
        -instr-profile "$out/$1.profdata" format analyze logger |
        awk '$8 > $9 && ($8 - $9) / $8 >= 0.2 && /\.c/ {
            printf "  %-32s %5d of %5d lines  %s\n", $1, $8 - $9, $8, $10 }'
}

status=0
for t in $targets; do
    here=$out/found/$t
    mkdir -p "$here/inputs"
    log=$here/log
    "$out/tests/fuzz/fuzz_$t" -max_total_time="$seconds" -max_len=65536 \
        -timeout=20 -rss_limit_mb=2048 -seed="$seed" -close_fd_mask=1 \
        -print_final_stats=1 -artifact_prefix="$here/" \
        "$here/inputs" "$out/corpus/$t" >"$log" 2>&1 && found=0 || found=1
    runs=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
    edges=$(awk '/ cov: / { for (i = 1; i < NF; i++)
                 if ($i == "cov:") n = $(i + 1) } END { print n + 0 }' "$log")
    total=$(sed -n 's/.*Loaded.*modules *(\([0-9]*\) inline.*/\1/p' "$log")
    echo "$t: ${runs:-?} runs, seed $seed, $edges of $total edges," \
        "$found findings"
    lines_covered "$t"
    if [ $found = 1 ]; then
        status=1
        grep -E 'broken:|ERROR:|runtime error:|SUMMARY|Test unit' "$log" |
            sed 's/^/  /'
    fi
done
exit $status
