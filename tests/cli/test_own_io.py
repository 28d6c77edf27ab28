#!/usr/bin/env python3
"""What a process did is its own and not its parents', however its threads and it end."""
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import threading

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from ends import CANCELLED, EXITS, FAILED, KILLED, REAPED_WRITTEN, STATUS, WRITTEN, Recorded
from test_processes import needs_bpf, needs_taskstats, needs_unshare

MEGABYTE = 1 << 20
ME = str(os.getpid())  # ends the names of this test's processes
OURS = "*%s:*" % ME, "*:" + ME, "python*:*", "sh:*"  # the latter until they have theirs
WRITE = "import os, sys; f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY); " \
        "[os.write(f, bytes(1 << 20)) for _ in range(int(sys.argv[2]))]; os.fsync(f); "


class OwnIo:
    """Whichever way processes are read and seen to end."""
    knows_at_the_end = True  # what was inherited after the last sample

    def run_program(self, name, program, *args):
        """Python code that has this name; returns its process."""
        code = "open('/proc/self/comm', 'w').write(%r); %s" % (name + ME, program)
        child = subprocess.Popen([*harness.PYTHON, "-c", code, *args], stdin=subprocess.PIPE)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        return child

    def named(self, program, name):
        """A link to a program, that no other process of this machine is called as."""
        path = self.path(name + ME)
        os.symlink(shutil.which(program), path)
        return path, os.path.basename(path)

    def test_a_parent_does_not_have_its_childs_bytes(self):
        path, dd = self.named("dd", "dd")
        bash, _ = self.named("bash", "bash")
        self.start(only=OURS)
        parent = subprocess.Popen([bash, "-c", "%s if=/dev/zero of=%s bs=1M count=40 conv=fsync 2>&-; cat; :"
                                   % (path, self.path("g"))], stdin=subprocess.PIPE)
        self.addCleanup(parent.kill)
        harness.wait_until(lambda: os.path.exists(self.path("g")) and "cat" in names_below(parent.pid), "dd has ended")
        self.recorder.wait_for_more(2)
        parent.communicate()
        work = self.end(self.ended(parent.pid))
        did, last = self.of(work, parent.pid)
        # A page was seen, of what the file system keeps about its files.
        self.assertLess(did[WRITTEN], MEGABYTE // 16)
        self.assertGreaterEqual(did[REAPED_WRITTEN], 40 * MEGABYTE)
        self.assertGreaterEqual(work.by_name[dd][WRITTEN], 40 * MEGABYTE)
        self.assertLess(work.by_name[dd][WRITTEN], 41 * MEGABYTE)
        self.assertLess(self.of(work, os.getpid())[0][WRITTEN], 2 * MEGABYTE, "the grandparent has them")

    def test_a_child_that_shares_the_memory_has_its_own(self):
        """It has no page faults, by which else is seen that a child was reaped."""
        path, name = self.path("share" + ME), "share" + ME
        os.symlink(os.environ["CHURN"], path)
        self.start(only=OURS)
        parent = subprocess.Popen([path, "share", self.path("g")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(parent.communicate)
        self.addCleanup(parent.kill)
        self.assertEqual(parent.stdout.readline(), b"ready\n")
        for _ in range(5):  # the first one writes nothing
            self.recorder.wait_for_more(2)
            os.write(parent.stdin.fileno(), b"\n")
            self.assertEqual(parent.stdout.readline(), b"done\n")
        self.recorder.wait_for_more(2)
        parent.communicate()
        work = self.end(self.ended(parent.pid))
        did, _ = self.of(work, parent.pid)
        self.assertLess(did[WRITTEN], MEGABYTE // 16)  # as above
        self.assertGreaterEqual(did[REAPED_WRITTEN], 4 * MEGABYTE)
        self.assertGreaterEqual(work.by_name[name][WRITTEN], 4 * MEGABYTE)
        self.assertLess(work.by_name[name][WRITTEN], 5 * MEGABYTE)

    def test_threads_that_end_leave_their_bytes_with_their_process(self):
        self.start(only=OURS)
        child = self.run_program("writer", "import threading, time, os, sys\n"
                                 "def write():\n"
                                 "    f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
                                 "    for _ in range(8): os.write(f, bytes(1 << 20)); time.sleep(0.02)\n"
                                 "    os.fsync(f); os.close(f)\n"
                                 "for _ in range(4):\n"
                                 "    t = threading.Thread(target=write); t.start(); t.join()\n", self.path("g"))
        child.wait()
        work = self.end(self.ended(child.pid))
        did, _ = self.of(work, child.pid)
        self.assertGreaterEqual(did[WRITTEN], 8 * MEGABYTE)
        self.assertEqual(did[REAPED_WRITTEN], 0)

    def test_one_between_two_samples_has_its_threads_bytes(self):
        self.start(only=OURS)
        with self.recorder.paused():
            child = self.run_program("brief", "import threading, os, sys\n"
                                     "def write():\n    " + WRITE + "\n"
                                     "t = threading.Thread(target=write); t.start(); t.join()\n", self.path("g"), "8")
            child.wait()
        work = self.end(self.ended(child.pid))
        self.assertGreaterEqual(self.of(work, child.pid)[0][WRITTEN], 8 * MEGABYTE)

    def test_a_main_thread_that_ends_first_is_the_process(self):
        self.start(only=OURS)
        other = "other" + ME
        child = self.run_program("main", "import ctypes, os, sys, threading\nname = sys.argv[3]\n"
                                 "def last():\n"
                                 "    open('/proc/thread-self/comm', 'w').write(name)\n"
                                 "    input(); " + WRITE + "os._exit(5)\n"
                                 "threading.Thread(target=last).start()\n"
                                 "ctypes.CDLL(None).pthread_exit(None)", self.path("g"), "8", other)
        harness.wait_until(lambda: harness.state_of(child.pid) == "Z", "the main thread has ended")
        self.recorder.wait_for_more(2)
        child.communicate(b"\n")
        work = self.end(self.ended(child.pid))
        did, last = self.of(work, child.pid)
        self.assertEqual([did[EXITS], did[FAILED], last[STATUS]], [1, 1, 5])
        self.assertGreaterEqual(did[WRITTEN], 8 * MEGABYTE)
        self.assertLess(did[WRITTEN], 9 * MEGABYTE)
        self.assertNotIn(other, work.by_name)

    def test_threads_that_end_at_once_end_one_process(self):
        self.start(only=OURS)
        num = 300
        self.run_program("crowd", "import os, sys, threading\n"
                         "for _ in range(int(sys.argv[1])):\n"
                         "    if not os.fork():\n"
                         "        for _ in range(8): threading.Thread(target=threading.Event().wait).start()\n"
                         "        os._exit(3)\n"
                         "    os.wait()", str(num)).communicate()
        crowd = self.end(lambda work: num + 1 - work.by_name["crowd" + ME][EXITS]).by_name["crowd" + ME]
        self.assertEqual([crowd[EXITS], crowd[FAILED]], [num + 1, num])

    def test_exec_by_another_thread_keeps_the_bytes(self):
        self.start(only=OURS)
        path, sleep = self.named("sleep", "sleep")
        child = self.run_program("before", WRITE + "import threading, sys; threading.Thread(target=lambda: "
                                 "os.execv(sys.argv[3], ['sleep', '60'])).start(); threading.Event().wait()",
                                 self.path("g"), "20", path)
        harness.wait_until(lambda: comm(child.pid) == sleep, "the thread has called exec")
        self.recorder.wait_for_more(2)
        child.kill()
        child.wait()
        work = self.end(self.ended(child.pid))
        did, last = self.of(work, child.pid)
        self.assertGreaterEqual(did[WRITTEN], 20 * MEGABYTE)
        self.assertEqual(did[REAPED_WRITTEN], 0)
        self.assertEqual(last[STATUS], 128 + 9)
        self.assertEqual(work.by_name[sleep][EXITS], 1, "it ends by the name that it has then")

    def test_a_zombie_has_ended_and_counts_once(self):
        self.start(only=OURS)
        parent = self.run_program("parent", "import os, sys, time; pid = os.fork()\nif not pid: os._exit(3)\n"
                                  "print(pid, file=open(sys.argv[1], 'w'), flush=True); sys.stdin.read()",
                                  self.path("pid"))
        harness.wait_until(lambda: text_of(self.path("pid")), "it has forked")
        zombie = int(text_of(self.path("pid")))
        harness.wait_until(lambda: harness.state_of(zombie) == "Z", "it is a zombie")
        self.recorder.wait_for_more(3)
        parent.kill()
        parent.wait()
        work = self.end(self.ended(zombie, parent.pid))
        did, last = self.of(work, zombie)
        self.assertEqual([did[EXITS], did[FAILED], did[KILLED], last[STATUS]], [1, 1, 0, 3])

    def test_who_reaps_an_orphan_does_not_have_its_bytes(self):
        path, dd = self.named("dd", "late")
        self.start(only=OURS)
        reaper = self.run_program("reaper", "import ctypes, os, sys, subprocess; ctypes.CDLL(None).prctl(36, 1)\n"
                                  "subprocess.run(['sh', '-c', '(sleep 0.3; exec %s if=/dev/zero of=%s bs=1M count=20 "
                                  "conv=fsync 2>&-) &' % tuple(sys.argv[1:3])])\nos.wait(); open(sys.argv[3], 'w')\n"
                                  "if int(sys.argv[4]): sys.stdin.read()", path, self.path("g"), self.path("done"),
                                  "%d" % (not self.knows_at_the_end))
        harness.wait_until(lambda: os.path.exists(self.path("done")), "it has reaped the orphan")
        if not self.knows_at_the_end:
            self.recorder.wait_for_more(2)
        reaper.communicate()
        work = self.end(self.ended(reaper.pid))
        did, _ = self.of(work, reaper.pid)
        self.assertLess(did[WRITTEN], MEGABYTE)
        self.assertGreaterEqual(did[REAPED_WRITTEN], 20 * MEGABYTE)
        self.assertGreaterEqual(work.by_name[dd][WRITTEN], 20 * MEGABYTE)


class Traced:
    """A thread of this process' that keeps another program's thread in the list of the kernel after its end."""
    SEIZE, DETACHED_WAIT = 0x4206, 0x40000000  # PTRACE_SEIZE: linux/ptrace.h; __WALL: linux/wait.h

    def __init__(self, tid):
        self.failure, self.seized, self.released = None, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.trace, args=(tid,))
        self.thread.start()
        self.seized.wait()

    def trace(self, tid):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(self.SEIZE, tid, None, None):
            self.failure = OSError(ctypes.get_errno(), "PTRACE_SEIZE")
        self.seized.set()
        self.released.wait()
        if not self.failure:
            os.waitpid(tid, self.DETACHED_WAIT)

    def release(self):
        self.released.set()
        self.thread.join()


@needs_bpf
class OwnIoByBpf(OwnIo, Recorded):
    def test_what_the_last_thread_does_after_its_end_is_its_process(self):
        """It closes the file that it removed, which cancels what was to be written, after it was seen to end.

        Another one has ended before it: the kernel has a sum that does not yet hold the last one's."""
        self.start(only=OURS)
        child = self.run_program("closes", "import ctypes, os, sys, threading\n"
                                 "def last():\n"
                                 "    f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY); os.unlink(sys.argv[1])\n"
                                 "    open(sys.argv[2], 'w').write('%d\\n' % threading.get_native_id())\n"
                                 "    input(); os.write(f, bytes(8 << 20)); os._exit(5)\n"
                                 "first = threading.Thread(target=open(sys.argv[3], 'wb').write, args=(bytes(1 << 20),))\n"
                                 "first.start(); first.join()\n"
                                 "threading.Thread(target=last).start()\n"
                                 "ctypes.CDLL(None).pthread_exit(None)", self.path("g"), self.path("tid"), self.path("h"))
        harness.wait_until(lambda: text_of(self.path("tid")) and harness.state_of(child.pid) == "Z",
                           "the main thread has ended")
        tid = int(text_of(self.path("tid")))
        traced = Traced(tid)
        self.addCleanup(traced.release)
        self.assertIsNone(traced.failure)
        child.stdin.write(b"\n")
        child.stdin.flush()
        harness.wait_until(lambda: harness.state_of(child.pid, tid) == "Z", "the last thread has ended")
        self.recorder.wait_for_more(3)
        did, _ = self.of(self.so_far(), child.pid)  # as long as the thread is there, from itself
        self.assertEqual([did[CANCELLED], did[REAPED_WRITTEN]], [8 * MEGABYTE, 0])
        traced.release()
        child.communicate()
        work = self.end(self.ended(child.pid))
        did, last = self.of(work, child.pid)
        self.assertEqual([did[EXITS], did[FAILED], last[STATUS]], [1, 1, 5])
        self.assertEqual([did[CANCELLED], did[REAPED_WRITTEN]], [8 * MEGABYTE, 0])
        self.assertEqual(did[WRITTEN] // MEGABYTE, 9)


@needs_taskstats
class OwnIoByTaskstats(OwnIo, Recorded):
    way = "proc"
    knows_at_the_end = False


class OwnIoWithoutEnds(Recorded):
    """In a pid namespace of its own nothing says that a process or thread ends."""

    @needs_unshare
    def test_a_parent_does_not_have_its_childs_bytes(self):
        r = subprocess.run(["unshare", "-pf", "--mount-proc", *harness.PYTHON, __file__, "--inside", self.folder],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual((r.returncode, r.stdout), (0, ""))


class Inside(Recorded):
    """Run as another program, see above."""
    way = "proc"
    place = None

    def parent(self):
        self.start("50ms")
        ready = os.path.join(self.memory, "ready")
        shell = "dd if=/dev/zero of=%s bs=1M count=20 conv=fsync 2>&-; for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero " \
                "of=%s bs=1M count=1 conv=fsync 2>&-; done; : >%s; read line" % (
                    os.path.join(self.place, "g"), os.path.join(self.place, "h"), ready)
        parent = subprocess.Popen(["bash", "-c", shell], stdin=subprocess.PIPE)
        self.addCleanup(parent.kill)
        harness.wait_until(lambda: os.path.exists(ready), "all children are reaped")
        self.recorder.wait_for_more(3)
        work = self.so_far()
        did, _ = self.of(work, parent.pid)
        parent.communicate()
        self.assertEqual(did[WRITTEN], 0)
        self.assertGreaterEqual(did[REAPED_WRITTEN], 28 * MEGABYTE)
        self.assertLess(self.of(work, os.getpid())[0][WRITTEN], MEGABYTE)
        self.assertFalse(work.negative)


def text_of(path):
    with contextlib.suppress(OSError), open(path) as f:
        return f.read().strip()
    return ""


def comm(pid):
    return text_of("/proc/%d/comm" % pid)


def names_below(pid):
    return [comm(int(child)) for child in text_of("/proc/%d/task/%d/children" % (pid, pid)).split()]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        Inside.place = sys.argv[2]
        harness.exit_with(Inside("parent"))
    harness.main()
