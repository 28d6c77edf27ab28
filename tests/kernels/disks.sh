#!/bin/sh
# The first process of a guest of disks.py: puts devices on devices, works on
# them while perflog records, and packs the log and what the kernel counted, when
# all was quiet, onto the last disk.
export PATH=/bin HOME=/tmp LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
exec </dev/null >/dev/console 2>&1
for module in /modules/*; do insmod $module || echo "FAILED insmod $module"; done

fail() {
    echo "FAILED $*"
    echo END
    sleep 1000
}

# What the kernel has counted, into the folder $1.
counts() {
    mkdir -p $1
    cat /proc/diskstats >$1/diskstats
    grep -E '^pswp(in|out) ' /proc/vmstat >$1/vmstat
    cat /proc/swaps >$1/swaps
}

same() {
    cmp -s $1/diskstats $2/diskstats && cmp -s $1/vmstat $2/vmstat && cmp -s $1/swaps $2/swaps
}

# Wait until nothing was counted for 3 seconds, which is 6 samples.
quiet() {
    sync
    counts $1
    while sleep 3; do
        counts /tmp/again
        same $1 /tmp/again && return
        counts $1
    done
}

# $1: file system, $2: size in MiB; writes a file and reads it back.
work() {
    dd if=/dev/zero of=$1/file bs=1M count=$2 conv=fsync || fail "write $1"
    echo 3 >/proc/sys/vm/drop_caches
    dd if=$1/file of=/dev/null bs=64k || fail "read $1"
}

mke2fs() {
    /bin/mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 "$@"
}

config='activation { udev_sync=0 udev_rules=0 } devices { scan="/dev" }'
mkdir -p /run/lock/lvm /etc/lvm /mnt/lvm /mnt/crypt /mnt/loop
lvm pvcreate --config "$config" /dev/vda /dev/vdb || fail pvcreate
lvm vgcreate --config "$config" group /dev/vda /dev/vdb || fail vgcreate
lvm lvcreate --config "$config" --noudevsync -i 2 -I 64 -l 100%FREE -n striped group || fail lvcreate
lvm vgmknodes --config "$config"
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
sectors=$(cat /sys/block/vdc/size)
echo "0 $sectors crypt aes-xts-plain64 $key 0 /dev/vdc 0" | dmsetup create crypt --noudevsync || fail crypt
[ -b /dev/mapper/crypt ] || dmsetup mknodes
mke2fs /dev/mapper/group-striped && mount -t ext4 /dev/mapper/group-striped /mnt/lvm || fail lvm
mke2fs /dev/mapper/crypt && mount -t ext4 /dev/mapper/crypt /mnt/crypt || fail crypt
dd if=/dev/zero of=/mnt/lvm/image bs=1M count=64
losetup /dev/loop0 /mnt/lvm/image && mke2fs /dev/loop0 && mount -t ext4 /dev/loop0 /mnt/loop || fail loop
dd if=/dev/zero of=/mnt/crypt/swap bs=1M count=128
losetup /dev/loop1 /mnt/crypt/swap && mkswap /dev/loop1 && swapon /dev/loop1 || fail swap
echo 100 >/proc/sys/vm/swappiness
echo READY

mkdir /tmp/out
quiet /tmp/out/before
perflog record -q -i 500ms --all-disks -c PhysicalDisk -c LogicalDisk -c 'Paging File' -c 'Virtual Memory' \
    -c Memory /tmp/out/a.plog &
recorder=$!
until [ -s /tmp/out/a.plog ]; do kill -0 $recorder || fail record; sleep 0.1; done
counts /tmp/again
same /tmp/out/before /tmp/again || fail "not quiet at the start"
work /mnt/lvm 40
work /mnt/crypt 24
work /mnt/loop 16
# 40 MiB of a group of its own, most of them put into swap, some fetched again.
mount -t cgroup2 cgroup /sys/fs/cgroup && echo +memory >/sys/fs/cgroup/cgroup.subtree_control || fail cgroup
mkdir /sys/fs/cgroup/big /ram && mount -t tmpfs tmpfs /ram || fail ram
sh -c 'echo $$ >/sys/fs/cgroup/big/cgroup.procs; dd if=/dev/zero of=/ram/file bs=64k count=640'
echo 32M >/sys/fs/cgroup/big/memory.reclaim || echo 'less than wanted was swapped'
dd if=/ram/file of=/dev/null bs=64k count=320
quiet /tmp/out/after
kill -INT $recorder
wait $recorder || fail "record ends with $?"
counts /tmp/again
same /tmp/out/after /tmp/again || fail "not quiet at the end"
cd /tmp && tar cf /dev/vdd out && sync || fail tar
echo END
sleep 1000
