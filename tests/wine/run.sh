#!/bin/sh
# Run a Windows program by Wine without a screen:
#     run.sh PROGRAM [ARGUMENT...]
#     run.sh --begin    starts its server, which then waits for programs
#     run.sh --end      ends it
# in a prefix of its own, WINEPREFIX, else build/mingw/wineprefix, which is
# made when it is missing.
set -eu

WINEPREFIX=${WINEPREFIX:-$(dirname "$0")/../../build/mingw/wineprefix}
mkdir -p "$WINEPREFIX"
WINEPREFIX=$(cd "$WINEPREFIX" && pwd)
WINEARCH=win64 WINEDEBUG=${WINEDEBUG:--all}
WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
LC_ALL=C.UTF-8 # in which arguments are handed over
export WINEPREFIX WINEARCH WINEDEBUG WINEDLLOVERRIDES LC_ALL
unset DISPLAY WAYLAND_DISPLAY
wine=/usr/lib/wine/wine64
wineserver=/usr/lib/wine/wineserver64

if [ ! -x $wine ]; then
    echo "perflog: no Wine here to run $1; install Debian's wine64" >&2
    exit 77
fi
if [ "$1" = --end ]; then
    exec $wineserver -k
fi
if [ ! -e "$WINEPREFIX/made" ]; then
    (
        flock 9
        if [ ! -e "$WINEPREFIX/made" ]; then
            "$wine" wineboot --init >/dev/null 2>&1
            $wineserver -w # its services end, as those of a lasting one do not
            touch "$WINEPREFIX/made"
        fi
    ) 9>"$WINEPREFIX.lock"
fi
# A server that ends after its last program resets the connection of one that
# begins just then: "wine client error:0: recvmsg: Connection reset by peer".
# The first program of a server begins the services, which hold what they are
# begun with: no pipe of a test.  A wineboot would begin them twice, and a program
# that asks for a service then waits for ten seconds.
if [ "$1" = --begin ]; then
    $wineserver -p </dev/null >/dev/null 2>&1 || true # one may run
    exec "$wine" cmd /c exit </dev/null >/dev/null 2>&1
fi
exec "$wine" "$@"
