#!/bin/sh
# The first process of a guest of power_cut.py: says what the last cut has left,
# then records until the next.  Lines: SAID, what verify says; CHECK log status
# seconds (of the last sample); CLOCK seconds uptime, at one instant; MARK
# uptime; BEGUN log uptime; and what went wrong.  A log that is not good is moved away.
export PATH=/bin HOME=/tmp LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
exec </dev/null >/dev/ttyS0 2>&1
for module in /modules/*; do insmod $module || echo "FAILED insmod $module"; done
round=$(sed -n 's/.*round=\([0-9]*\).*/\1/p' /proc/cmdline)

last_sample() {
    perflog export -q --time unix -c '\System\System Up Time' "$1" | tail -n 1 | cut -d , -f 1
}

check() {
    [ -e "$1" ] || return
    if perflog verify "$1" >/tmp/said; then status=0; else status=$?; fi
    [ $status = 0 ] || sed 's/^/SAID /' /tmp/said
    echo "CHECK ${1#/disk/} $status $(last_sample "$1")"
    [ $status = 0 ] || mv "$1" "$1-$round"
}

record() {
    log=$1
    shift
    perflog record -q -i 100ms --processes=proc -c '\System\*' -c '\Memory\*' -c '\Processor(*)\*' "$@" "$log" ||
        echo "FAILED record $log"
}

echo
for system in $(sed -n 's/.*systems=\([a-z0-9,]*\).*/\1/p' /proc/cmdline | tr , ' '); do
    disk=/disk/$system
    number=$((${number:--1} + 1))
    mkdir -p $disk
    mount -t $system /dev/vd$(echo abcdef | cut -c $((number + 1))) $disk || echo "FAILED mount $system"
    for log in old.plog each.plog new$((round - 1)).plog segments; do check $disk/$log; done
    mkdir -p $disk/segments
    record $disk/old.plog &
    record $disk/each.plog --sync each &
    record $disk/segments/s.plog --max-size 64K --keep 40 &
    {
        sleep $((round % 5 + 2))
        read -r up idle </proc/uptime
        echo "BEGUN $system/new$round.plog $up"
        record $disk/new$round.plog
    } &
done
# The clock shows whole seconds: when it goes on, the time is known.
began=$(date +%s)
until second=$(date +%s); [ "$second" != "$began" ]; do usleep 20000; done
read -r up idle </proc/uptime
echo "CLOCK $second $up"
while :; do
    read -r up idle </proc/uptime
    echo "MARK $up"
    usleep 200000
done
