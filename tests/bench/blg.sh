#!/bin/sh
# sh tests/bench/blg.sh [PERFLOG] [MEGABYTES]: how fast Performance Monitor's
# logs become CSV.  Two long logs are made of the samples of two real ones, of
# raw counters and of whole blocks; told is the CPU time of the best of three
# runs, and what that is in MB of log per second.
set -eu
cd "$(dirname "$0")/../.."
program=${1:-build/release/perflog}
size=${2:-200}
data=${PERFLOG_DATA:-../shared/data}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

measure() {
    python3 tests/support/write_blg.py "$2" "$size" "$folder/a.blg"
    shift 2
    best=$(for _ in 1 2 3; do
        python3 - "$program" export -q "$@" "$folder/a.blg" <<'END'
import os
import resource
import subprocess
import sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.3f" % (use.ru_utime + use.ru_stime))
END
    done | sort -n | head -1)
    bytes=$(wc -c <"$folder/a.blg")
    awk "BEGIN { printf \"%.3f s, %.0f MB/s\\n\", $best, $bytes / 1e6 / $best }"
}

for layout in wide pdh; do
    printf 'raw counters, %s: ' "$layout"
    measure raw "$data/blg/BasicPerfCounters.blg" --layout "$layout"
    printf 'whole blocks, %s: ' "$layout"
    measure blocks "$data/vista/SampleLog.blg" --layout "$layout"
done
