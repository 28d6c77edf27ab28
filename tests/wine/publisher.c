/*
 * Publishes what a test asks for, a line of the standard input at a time:
 *
 *     count     instance i (from 1): Länge += 10 * i, and 30 * i once more
 *     remove    the second instance goes
 *     renew     the first one begins anew
 *     hold      the registered library is held as by a program that loaded it
 *
 * and says "done" after each.  "publisher --install" and "--uninstall" tell
 * Windows of it.
 */
#include <pl_install.h>

#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

enum { VALVE = 7, PIPE = 3, NUM_VALVES = 4 };

static const struct pl_prov_counter valve_counters[] = {
    { 1, PERF_COUNTER_LARGE_RAWCOUNT, "Länge", "Wie lang.", -2, PL_PROV_NOVICE,
      0 },
    { 2, PERF_AVERAGE_BULK, "Bytes „im Mittel“", "日本.", 0, PL_PROV_EXPERT,
      0 },
    { 3, PERF_AVERAGE_BASE, NULL, NULL, 0, PL_PROV_EXPERT, 0 },
};
static const struct pl_prov_counter pipe_counters[] = {
    { 9, PERF_COUNTER_RAWCOUNT, "Flow", NULL, 0, PL_PROV_WIZARD, 0 },
    { 8, PERF_ELAPSED_TIME, "Alter", "Seit wann.", 0, PL_PROV_NOVICE, 0 },
};
static const struct pl_prov_counter single_counters[] = {
    { 1, PERF_COUNTER_RAWCOUNT, "Lines", "Read so far.", 0, PL_PROV_NOVICE, 0 },
};
static const struct pl_prov_object table[] = {
    { VALVE, "Größe „χ“", "Objekt mit Umlauten.", 6, 64, PL_PROV_NOVICE, 0, 1,
      valve_counters, 3 },
    { PIPE, "Test Pipe", "Belongs to one of the others.", 2, 20, PL_PROV_NOVICE,
      0, 9, pipe_counters, 2 },
    { 1, "Test Lines", "One for each process.", PL_PROV_NO_INSTANCES, 0,
      PL_PROV_NOVICE, PL_PROV_PER_PROCESS, 1, single_counters, 1 },
};
static const char *const names[NUM_VALVES] = { "plain", "a \"quoted\", name",
                                               "日本 Größe", "日本 Größe" };

static struct pl_prov_set valves[NUM_VALVES];

static void count(void)
{
    for (unsigned i = 0; i < NUM_VALVES; i++) {
        pl_begin(valves[i]);
        pl_add(pl_prov_word_of(valves[i], 1), 10 * (i + 1));
        pl_add(pl_prov_word_of(valves[i], 2), 30 * (i + 1));
        pl_add(pl_prov_word_of(valves[i], 3), 1);
        pl_end(valves[i]);
    }
}

static int manage(const char *what)
{
    char why[512];
    int failed = strcmp(what, "--install")
                     ? pl_prov_uninstall("publisher", why, sizeof why)
                     : pl_prov_install("publisher", table, 3, why, sizeof why);

    if (failed)
        fprintf(stderr, "%s\n", why);
    return failed != 0;
}

/* As Windows' loader does, but not that of Wine. */
static void hold_library(void)
{
    wchar_t path[1024];
    HANDLE file, image;

    GetModuleFileNameW(NULL, path, 900);
    wcscpy(wcsrchr(path, L'\\') + 1, L"perflog-publisher.dll");
    file = CreateFileW(path, GENERIC_READ | GENERIC_EXECUTE,
                       FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       0, NULL);
    image = CreateFileMappingW(file, NULL, PAGE_READONLY | SEC_IMAGE, 0, 0,
                               NULL); /* until the program ends */
    CloseHandle(file);
    if (!image)
        printf("error %lu: not ", GetLastError());
}

int main(int argc, char **argv)
{
    struct pl_prov *p;
    struct pl_prov_set pipe, lines;
    char line[32];

    if (argc == 2)
        return manage(argv[1]);
    if (pl_prov_open(&p, "publisher", table, 3, NULL))
        fprintf(stderr, "%s\n", pl_prov_why(p));
    for (unsigned i = 0; i < NUM_VALVES; i++)
        valves[i] = pl_prov_add(p, VALVE, names[i], -1, NULL);
    pipe = pl_prov_add(p, PIPE, "in", 5, &valves[2]);
    pl_set(pl_prov_word_of(pipe, 9), 5000000000); /* more than it can show */
    pl_set(pl_prov_word_of(pipe, 8), pl_prov_clock());
    lines = pl_prov_single(p, 1);
    puts(pl_prov_path(p));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        pl_add(pl_prov_word_of(lines, 1), 1);
        if (!strncmp(line, "count", 5))
            count();
        else if (!strncmp(line, "remove", 6))
            pl_prov_remove(&valves[1]);
        else if (!strncmp(line, "hold", 4))
            hold_library();
        else
            pl_prov_renew(&valves[0]);
        puts("done");
        fflush(stdout);
    }
    pl_prov_close(p);
    return 0;
}
