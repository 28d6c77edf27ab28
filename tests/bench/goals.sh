#!/bin/sh
# Every measurement of which README and the manual quote figures, one after the other: goals.sh PERFLOG BEFORE DAY.plog
# [SECONDS [FLOOR]]: PERFLOG beside BEFORE, an older program of it, and the peers that are installed; DAY.plog is what
# make_log makes, SECONDS (600) how long the logs are recorded that are packed, FLOOR a command that reads as much as a
# recorder every second and keeps nothing.  Takes about half an hour with the default; needs root and a quiet machine.
set -eu
[ $# -ge 3 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 1; }
here=$(dirname "$0")
printf '## Recording\n\n'
python3 "$here/recorders.py" "$1" "$2" ${5:+--floor "$5"}
printf '\n## Packing\n\n'
python3 "$here/packing.py" "$1" --seconds "${4:-600}"
printf '\n## Reading (goals in seconds of processor time)\n\n'
python3 "$here/before_after.py" "$2" "$1" "$3"
