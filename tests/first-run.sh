#!/bin/sh
# The first five minutes: install what building needs, build, record this
# machine for a few seconds, export the recording, and show the result.
set -eu
cd "$(dirname "$0")/.."

sh tests/gate/packages.sh
cmake --preset release -DBUILD_TESTING=OFF -DPERFLOG_UPLOT=npm >/dev/null
cmake --build --preset release >/dev/null
perflog=build/release/perflog

mkdir -p out
rm -f out/first.plog
$perflog record -d 5s out/first.plog
$perflog info out/first.plog
echo
rm -f out/first.html
$perflog report out/first.plog -o out/first.html || true # if it was built
$perflog export out/first.plog --for excel -o out/first.csv
$perflog export out/first.plog --csv -c '\Processor(_Total)\% Processor Time' \
    -c '\Memory\Available MBytes' -c '\PhysicalDisk(_Total)\Disk Bytes/sec'
echo
echo "The program:       $perflog  (install: cmake --install build/release)"
echo "The recording:     out/first.plog"
echo "The whole sheet:   out/first.csv, for Excel; for LibreOffice: export --for libreoffice"
[ ! -f out/first.html ] ||
    echo "Charts:            out/first.html, for a browser"
echo "What can be had:   $perflog list --help-text out/first.plog"
