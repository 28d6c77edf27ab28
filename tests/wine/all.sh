#!/bin/sh
# Build perflog.exe for Windows and run its tests by Wine; skipped where
# mingw-w64 or Wine is not there and cannot be installed.
exec sh "$(dirname "$0")/../run-all.sh" windows
