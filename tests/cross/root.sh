#!/bin/sh
# root.sh ARCH FOLDER: unpacks what perflog, its tests and a guest of
# tests/kernels/run.py need of Debian 12 for another processor into FOLDER.
# Nothing is installed.  MIRROR names another mirror.
set -eu
arch=$1
root=$2
[ ! -e "$root.done" ] || exit 0
apt=$root.apt
packages="libzstd-dev libzstd1 libxxhash-dev libxxhash0 libcsv-dev libcsv3
          libmd-dev libmd0 zlib1g zlib1g-dev check libsubunit0 libsubunit-dev
          libc6 libc6-dev linux-libc-dev libcrypt1 libgcc-s1 libstdc++6
          libbpf-dev dash coreutils mount libmount1 libblkid1 libselinux1
          libpcre2-8-0"

for folder in etc/apt/preferences.d etc/apt/apt.conf.d var/lib/dpkg \
    var/lib/apt/lists/partial var/cache/apt/archives/partial debs; do
    mkdir -p "$apt/$folder"
done
mkdir -p "$root"
: >"$apt/var/lib/dpkg/status"
echo "deb [arch=$arch signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "${MIRROR:-http://deb.debian.org}/debian bookworm main" >"$apt/etc/apt/sources.list"

of_arch() {
    apt-get -qq -o Dir="$apt" -o Dir::State::status="$apt/var/lib/dpkg/status" \
        -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

of_arch update
# shellcheck disable=SC2086 # a list
(cd "$apt/debs" && of_arch download $packages)
for package in "$apt"/debs/*.deb; do
    dpkg-deb -x "$package" "$root"
done
rm -r "$apt"
: >"$root.done"
