#!/usr/bin/env python3
"""The packages of RPM, installed and erased in a clean Debian with rpm and systemd: see clean_root.py.

What RPM knows of this Debian is one package, made here, that provides what the libraries installed there provide by
RPM's own rules.  So no dependency is left out; whether other distributions name it so, only they can show.
"""
import glob
import os
import re
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from clean_root import ROOT, Packages, do, needs_root
from test_package import Booted

BASE = """Name: base
Version: 1
Release: 1
Summary: What this system has
License: MIT
BuildArch: noarch
%s
%%description
All that was here before.
%%files
"""


class Built:
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rpms = cls.build("rpm", "RPM")


@needs_root
class Contents(Built, Packages):
    def test_rpmlint_has_nothing_to_say(self):
        self.assertIn(" 0 errors, 0 warnings",
                      do("rpmlint", "-r", os.path.join(ROOT, "cmake/package/perflog.rpmlintrc"), *self.rpms.values()))

    def test_what_they_need(self):
        def needs(name):
            text = do("rpm", "-qp", "--requires", self.rpms[name])
            return {re.sub(r"\(.*", "", line) for line in text.splitlines() if not line.startswith(("rpmlib", "ld-"))}

        libraries = {"rtld", "libc.so.6", "libzstd.so.1", "libxxhash.so.0", "libcsv.so.3", "libmd.so.0"}
        self.assertEqual(needs("perflog"), libraries | {"libm.so.6", "libz.so.1", "libncursesw.so.6", "libtinfo.so.6",
                                                        "libxlsxwriter.so.4", "systemd", "/bin/sh", "config"})
        self.assertEqual(needs("libperflog0"), libraries | {"libm.so.6"})
        self.assertEqual(needs("libperflog-provider0"), {"rtld", "libc.so.6"})
        self.assertEqual(needs("libperflog-devel"), {"libperflog0 = 0.2.0-1", "libperflog-provider0 = 0.2.0-1",
                                                     "/usr/bin/pkg-config"})


# What a system with RPM has that is no library here; the linker's word is glibc's package's own.
BESIDES = ["/bin/sh", "/usr/bin/pkg-config", "systemd", "rtld(GNU_HASH)"]


@needs_root
class Rpm(Built, Booted):
    def prepare(self):
        super().prepare()
        self.install("rpm", *self.needs())
        # Distributions with RPM enable no service that has not said so.
        os.makedirs(self.at("/etc/systemd/system-preset"), exist_ok=True)
        with open(self.at("/etc/systemd/system-preset/99-default-disable.preset"), "w", encoding="utf-8") as f:
            f.write("disable *\n")
        self.bring(*self.rpms.values(), self.base())

    def base(self):
        libraries = "\n".join(p for p in glob.glob(self.at("/usr/lib/x86_64-linux-gnu/*.so*")) if not os.path.islink(p))
        with open(os.path.join(self.folder, "libraries"), "w", encoding="utf-8") as f:
            f.write(libraries)
        provides = do("sh", "-c", "/usr/lib/rpm/elfdeps --provides < %s; true" % f.name).split()
        self.assertIn("libc.so.6(GLIBC_2.34)(64bit)", provides)
        with open(os.path.join(self.folder, "base.spec"), "w", encoding="utf-8") as f:
            f.write(BASE % "".join("Provides: %s\n" % p for p in sorted(set(provides)) + BESIDES))
        do("rpmbuild", "-bb", "--define", "_topdir " + os.path.join(self.folder, "rpmbuild"), f.name)
        [made] = glob.glob(os.path.join(self.folder, "rpmbuild/RPMS/noarch/base-*.rpm"))
        return made

    def rpm(self, *args, **how):
        # Debian's rpm installs only for who insists.
        return self.booted("rpm", "--force-debian", *args, **how)

    def file(self, name):
        return "/srv/" + os.path.basename(self.rpms[name])

    def test_install_record_erase(self):
        self.rpm("-i", self.file("perflog"), expect=1)  # as nothing provides what it needs
        self.rpm("-i", "/srv/base-1-1.noarch.rpm")
        self.assertNotRegex(self.rpm("-i", self.file("perflog")), "(?i)error|warn|fail")
        self.assertEqual(self.rpm("-V", "perflog"), "", "all files are as they were packed")
        self.assertEqual(self.booted("systemctl", "is-enabled", "perflog").strip(), "enabled")
        self.wait_for_samples(1, 2)
        self.check_recorder()
        for page in "man1/perflog-record.1", "man5/plog.5", "man7/perflog.7":
            self.assertTrue(os.path.exists(self.at("/usr/share/man/%s.gz" % page)), page)
        # An upgrade keeps what the administrator has chosen.
        self.booted("systemctl", "disable", "--now", "perflog")
        self.rpm("-U", "--replacepkgs", self.file("perflog"))
        self.booted("systemctl", "is-enabled", "perflog", expect=1)
        self.booted("systemctl", "enable", "--now", "perflog")
        self.rpm("-U", "--replacepkgs", self.file("perflog"))
        self.wait_for_samples(3, 1)
        self.booted("systemctl", "enable", "perflog-push")
        self.rpm("-e", "perflog")
        self.assertFalse(os.path.lexists(self.at("/etc/systemd/system/multi-user.target.wants/perflog-push.service")))
        self.assertGreaterEqual(len(self.logs()), 3)
        self.check_what_is_left(self.logs())
        self.booted("getent", "passwd", "perflog")

    def test_libraries(self):
        self.rpm("-i", "/srv/base-1-1.noarch.rpm")
        names = "libperflog0", "libperflog-provider0", "libperflog-devel"
        self.rpm("-i", self.file(names[2]), expect=1)  # without the libraries
        self.rpm("-i", *map(self.file, names))
        self.assertTrue(os.path.exists(self.at("/usr/lib64/libperflog.so.0")))
        self.assertTrue(os.path.exists(self.at("/usr/include/perflog/perflog.h")))
        self.rpm("-e", "libperflog0", expect=1)  # needed by the headers
        self.rpm("-e", *names)
        self.assertEqual([p for p in self.snapshot() if "perflog" in p and "/perflog.service.d" not in p], [])


def load_tests(loader, _tests, _pattern):
    """Not those of the class that is stood upon."""
    return unittest.TestSuite(case(name) for case in (Contents, Rpm) for name in loader.getTestCaseNames(case)
                              if name in vars(case))


if __name__ == "__main__":
    unittest.main(testRunner=harness.Runner)
