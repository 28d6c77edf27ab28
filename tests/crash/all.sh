#!/bin/sh
# All goals of reliability, one line each, with a release build:
#   sh tests/crash/all.sh          what run-all.sh full runs, minutes
#   sh tests/crash/all.sh --full   what a release needs, hours
# PERFLOG_BUILD names the build's folder (build/release).
set -u
cd "$(dirname "$0")/../.."

build=${PERFLOG_BUILD:-build/release}
PERFLOG=$build/perflog
PERFLOG_TEST_FULL=1
export PERFLOG PERFLOG_TEST_FULL
status=0

check() { # status 77: cannot be done here
    "$@"
    case $? in
    0 | 77) ;;
    *) status=1 ;;
    esac
}

for program in kill damage power beside; do
    check "$build/tests/crash_$program" "$@"
done
check python3 tests/crash/pack_kills.py "$@"
times=200
[ "${1:-}" = --full ] && times=10000
check "$build/tests/provider_kill" $times
for script in calls memory full_disk readers race; do
    check python3 "tests/crash/$script.py" "$@"
done
echo "     groups, instances, adds      PERFLOG_TEST_FACTOR=500 CK_DEFAULT_TIMEOUT=9999 CK_RUN_CASE=copies $build/tests/test_linux_regions; 20 and counting, test_provider"
echo "R9   a failed sync                not repeated, new segment, reported: $build/tests/test_faults, and R6 above"
echo "R5b  power cuts                   of a virtual machine: python3 tests/crash/power_cut.py KERNEL"
echo "open: R5c: power cuts of a real machine, and disks that lie, need dm-flakey or dm-log-writes"
echo "open: R12 over NFS and overlayfs is tried by hand"
echo "open: R16, R17: 24 hours and 7 days of recording"
exit $status
