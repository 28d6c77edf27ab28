#!/bin/sh
# sh tests/bench/exporters.sh [PERFLOG] [SECONDS]: sadf, atop, pmrep and perflog
# side by side, each turning a log of its own of the same SECONDS (60) into text.
# Told are medians of REPEAT (3) runs: numeric cells, CPU time, cells and MB of
# output per second of CPU, peak memory.  PEERS is the folder of peers-export.sh,
# which records and measures the others; LAB keeps the logs for the next run.
set -eu
program=$(realpath "${1:-build/release/perflog}")
seconds=${2:-60}
peers=$(realpath "${PEERS:-../shared/bench}")
LAB=$(realpath -m "${LAB:-$(mktemp -d)}")
REPEAT=${REPEAT:-3}
export LAB REPEAT

log=$LAB/perflog.plog
if [ ! -s "$log" ]; then
    mkdir -p "$LAB"
    GENSECS=$seconds "$peers/peers-export.sh" gen >/dev/null 2>&1 &
    gen=$!
    # As often as PCP's; atop and sadc cannot be so quick.
    "$program" record -i 20ms -d "${seconds}s" "$log" 2>/dev/null
    wait $gen
fi

# table PATTERN [NAME COMMAND]: rows of contenders that match, and perflog's.
table() {
    ONLY=$1 PERFLOG_LOG=$log PERFLOG_EXPORT=${3-} "$peers/peers-export.sh" run |
        awk -F '\t' -v OFS='\t' -v name="${2-}" 'NR > 1 {
            if ($1 == "PERFLOG") $1 = name
            print $1, $3, $8, $9, $10, $11 }'
}

printf 'name\tcells\tcpu_ms\tcells_per_cpu_s\tMB_per_cpu_s\trss_KiB\n'
table '^(sadf-d|sadf-d-xall|pmrep-csv-sys|pmrep-csv-proc|atop-P-ALL)$'
table '^PERFLOG$' wide "$program export -q $log"
table '^PERFLOG$' wide-top-10 "$program export -q --top 10 $log"
table '^PERFLOG$' long "$program export -q --layout long $log"
