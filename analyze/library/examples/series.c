/*
 * Print one series of a log: seconds since 1970, value, or why there is none.
 *     cc series.c -o series $(pkg-config --cflags --libs perflog)
 *     ./series this.plog '\Processor(_Total)\% Processor Time'
 */
#include <inttypes.h>
#include <perflog.h>
#include <stdio.h>

static int failed(const char *what, enum pl_status s)
{
    return fprintf(stderr, "%s: %s\n", what, pl_status_text(s)), 1;
}

int main(int argc, char **argv)
{
    const char *path = argc == 3 ? argv[1] : "", *series = argv[argc - 1];
    struct pl_log *log;
    int64_t time_ns;
    enum pl_cell cell;
    size_t num;
    enum pl_status s = pl_log_open(&log, &path, 1);

    if (s)
        return failed(path, s);
    s = pl_log_choose(log, series);
    if (!s)
        s = pl_log_count(log, &num);
    if (!s && num != 1)
        s = PL_USAGE; /* a path of no series, or of several */
    while (!s && !(s = pl_log_next(log, &time_ns))) {
        double value = pl_log_value(log, 0, &cell);

        printf("%" PRId64 "\t%.17g\t%s\n", time_ns / 1000000000, value,
               pl_cell_name(cell));
    }
    pl_log_close(log);
    return s == PL_END ? 0 : failed(series, s);
}
