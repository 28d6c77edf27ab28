#!/bin/sh
# Fetch the engines that test_push_engines.py and test_fleet.py send to, Debian's, into
# build/engines.  They are unpacked, not installed: an installed one is a
# service that runs from then on.  Says nothing if both are there.
set -eu
cd "$(dirname "$0")/../.."

folder=build/engines
wanted=
for program in victoria-metrics prometheus; do # packages of these names
    command -v $program >/dev/null || [ -x $folder/usr/bin/$program ] ||
        wanted="$wanted $program"
done
[ -n "$wanted" ] || exit 0

echo "perflog: fetching$wanted"
mkdir -p $folder/packages
cd $folder/packages
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
# shellcheck disable=SC2086  # a list of names
apt-get download -qq $wanted 2>/dev/null || {
    $as_root apt-get update -qq
    apt-get download -qq $wanted 2>/dev/null
}
for package in *.deb; do
    dpkg-deb -x "$package" ..
done
cd ..
rm -rf packages
