/*
 * Print one series of a log: seconds since 1970, value, or why there is none.
 *     cc series.c -o series $(pkg-config --cflags --libs perflog)
 *     ./series this.plog '\Processor(_Total)\% Processor Time'
 */
#include <inttypes.h>
#include <perflog.h>
#include <stdio.h>

static int failed(const char *what, const char *why)
{
    return fprintf(stderr, "%s: %s\n", what, why), 1;
}

int main(int argc, char **argv)
{
    const char *path = argv[1];
    struct pl_log *log;
    int64_t time_ns;
    enum pl_cell cell;
    size_t num = 0;
    enum pl_status s;

    if (argc != 3)
        return failed("usage", "series LOG PATH");
    if ((s = pl_log_open(&log, &path, 1)))
        return failed(path, pl_status_text(s));
    if (!(s = pl_log_choose(log, argv[2])))
        s = pl_log_count(log, &num);
    while (!s && num == 1 && !(s = pl_log_next(log, &time_ns))) {
        double value = pl_log_value(log, 0, &cell);

        printf("%" PRId64 "\t%.17g\t%s\n", time_ns / 1000000000, value,
               pl_cell_name(cell));
    }
    pl_log_close(log);
    if (!s)
        return failed(argv[2], "names no series, or several");
    return s == PL_END ? 0 : failed(argv[2], pl_status_text(s));
}
