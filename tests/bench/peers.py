"""Other recorders that measurements put beside perflog: those installed, each with the command that records every second into
files that begin with 'out' in the folder it runs in, until it gets SIGTERM: a run in the background ignores SIGINT.
"""
import os
import shutil

# The objects with which perflog records what the peers record of the whole machine.
SYSTEM = ("Processor", "System", "Memory", "Virtual Memory", "Paging File", "PhysicalDisk", "LogicalDisk",
          "Network Interface", "TCPv4", "UDPv4", "IPv4", "Sockets", "Kernel Tables", "Pressure Stall")
SADC = "/usr/lib/sysstat/sadc"
PCP = """log mandatory on 1 sec {
kernel.all.load kernel.all.cpu kernel.all.intr kernel.all.pswitch kernel.all.sysfork kernel.all.uptime
kernel.all.running kernel.all.blocked kernel.all.pressure kernel.percpu.cpu mem.util mem.vmstat swap disk.dev disk.all
network.interface network.sockstat network.tcp network.udp network.ip vfs.files vfs.inodes vfs.dentry
}
"""
# Without them, as a package that was not configured leaves it, it runs and records nothing.
PCP_NAMES = "/var/lib/pcp/pmns/root"


def choice(objects=SYSTEM):
    return [word for o in objects for word in ("-c", o)]


def system_wide():
    """By name."""
    found = {}
    if os.path.exists(SADC):
        found["sar -S XALL"] = [SADC, "-S", "XALL", "1", "out"]
    if shutil.which("pmlogger") and os.path.exists(PCP_NAMES):
        found["pcp"] = ["sh", "-c", 'printf "%s" "$0" >conf; export PMLOGGER_LOCAL=1 PCP_TMP_DIR=$PWD PCP_RUN_DIR=$PWD; '
                        "exec pmlogger -o -L -c conf -l log -t 1sec out", PCP]
    return found


def with_processes():
    return {"atop": ["atop", "-a", "-w", "out", "1"]} if shutil.which("atop") else {}
