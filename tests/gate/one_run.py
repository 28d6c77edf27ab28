#!/usr/bin/env python3
"""Writes FOLDER/CTestTestfile.cmake: the tests of several presets as one run of ctest, called PRESET/NAME.

    one_run.py FOLDER PRESET[:LABEL]...

So one preset's tests compute while another's wait, and what measures the machine is beside one other test at most,
of whatever preset.  Two tests of one name never run at once: they may use the same names in /tmp, /run or Wine.
"""
import json
import os
import subprocess
import sys

# What a test of the run is given; ctest --show-only tells each under the name that set_tests_properties knows it by.
KEPT = ("COST", "DEPENDS", "ENVIRONMENT", "FIXTURES_CLEANUP", "FIXTURES_REQUIRED", "FIXTURES_SETUP", "LABELS",
        "PROCESSORS", "RESOURCE_LOCK", "RUN_SERIAL", "SKIP_RETURN_CODE", "TIMEOUT", "WORKING_DIRECTORY")
# Says at the end of a test's output what CPU time its processes took, in the shell's words: summary.py reads them.
TIMED = "sh", "-c", '"$@"; status=$?; times; exit $status', "timed"
NAMES_OF_TESTS = "DEPENDS", "FIXTURES_CLEANUP", "FIXTURES_REQUIRED", "FIXTURES_SETUP"


def quoted(text):
    """A bracket argument of CMake, in which nothing has a meaning."""
    equals = "="
    while "]%s]" % equals in text + "]":
        equals += "="
    return "[%s[%s]%s]" % (equals, text, equals)


def value_of(preset, key, value):
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    if not isinstance(value, list):
        return value if isinstance(value, str) else "%g" % value
    if key in NAMES_OF_TESTS:
        value = ["%s/%s" % (preset, name) for name in value]
    return ";".join(item.replace(";", "\\;") for item in value)


def tests_of(preset, label):
    command = ["ctest", "--preset", preset, "--show-only=json-v1", *(["-L", "^%s$" % label] if label else [])]
    reported = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(reported)["tests"]


def of_release(preset, variable):
    """What makes logs is as good without a sanitizer, and takes a tenth of the time."""
    name, _, path = variable.partition("=")
    other = path.replace("/%s/" % preset, "/release/")
    return "%s=%s" % (name, other) if name == "MAKE_LOG" and os.path.exists(other) else variable


def quick(preset, variables):
    """Beside a program with the sanitizer of addresses the same one without: harness.py says for which runs."""
    path = next((v for v in variables if v.startswith("PERFLOG=")), "").partition("=")[2]
    other = path.replace("/asan/", "/release/")
    return ["PERFLOG_QUICK=" + other] if preset == "asan" and os.path.exists(other) else []


def lines_of(preset, test):
    name = quoted("%s/%s" % (preset, test["name"]))
    yield "add_test(%s %s)" % (name, " ".join(map(quoted, [*TIMED, *test["command"]])))
    properties = {p["name"]: p["value"] for p in test["properties"]}
    unknown = set(properties) - set(KEPT) - {"NEEDS"}
    if unknown:
        sys.exit("%s/%s: a property that one_run.py does not know: %s" % (preset, test["name"], ", ".join(unknown)))
    properties["RESOURCE_LOCK"] = properties.get("RESOURCE_LOCK", []) + ["name:" + test["name"]]
    variables = properties.get("ENVIRONMENT", [])
    properties["ENVIRONMENT"] = [of_release(preset, v) for v in variables] + quick(preset, variables)
    for key in KEPT:
        if properties.get(key):
            yield "set_tests_properties(%s PROPERTIES %s %s)" % (
                name, key, quoted(value_of(preset, key, properties[key])))


def main(folder, *rows):
    lines, none = [], []
    for row in rows:
        preset, _, label = row.partition(":")
        tests = tests_of(preset, label)
        if not tests:
            none.append(row)
        for test in tests:
            if "command" not in test:
                sys.exit("%s/%s: its program is not built" % (preset, test["name"]))
            lines.extend(lines_of(preset, test))
    if none:
        sys.exit("no tests: " + " ".join(none))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
