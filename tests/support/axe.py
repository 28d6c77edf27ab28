"""axe-core, which checks pages for accessibility: downloaded when a test needs it, as npm would, and trusted by its hash."""
import hashlib
import os
import shutil
import subprocess
import tarfile

VERSION = "4.10.2"
SHA512 = ("444de6750ecfdc54527bb7aa096a1e43f67d417aed9e24a3a75c148ede67442d"
          "d6229cf9ad20af7baa377ec676682a49b6b663499823c170284cee64e2d108d3")
RUN = """axe.run(document, {resultTypes: ['violations']}).then(r => ({rules: r.passes.length, violations: r.violations.map(
    v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join('; '))}))"""


def script(folder):
    """Its text, or None and why it cannot be had."""
    if not shutil.which("npm"):
        return None, "no npm here"
    made = subprocess.run(["npm", "pack", "--silent", "axe-core@" + VERSION], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=120)
    path = os.path.join(folder, "axe-core-%s.tgz" % VERSION)
    if made.returncode or not os.path.exists(path):
        return None, "npm could not download axe-core: " + made.stdout.decode(errors="replace").strip()[-200:]
    with open(path, "rb") as f:
        found = hashlib.sha512(f.read()).hexdigest()
    if found != SHA512:
        raise AssertionError("axe-core is not what it should be: its SHA-512 is " + found)
    with tarfile.open(path) as archive:
        return archive.extractfile("package/axe.min.js").read().decode(), None
