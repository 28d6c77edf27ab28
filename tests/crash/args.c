/* Command lines of the crash programs. */
#include "tests/crash/args.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void refuse(const char *word)
{
    fprintf(stderr, "%s: give '--NAME NUMBER' or '--full'\n", word);
    exit(2);
}

static void take(struct crash_args *a, const char *name, const char *text)
{
    char *end;

    for (size_t i = 0; i < MAX_ARGS && a->names[i]; i++) {
        if (strncmp(name, "--", 2) != 0 || strcmp(name + 2, a->names[i]) != 0)
            continue;
        a->values[i] = strtoull(text, &end, 0);
        if (!*text || *end)
            refuse(text);
        return;
    }
    refuse(name);
}

void crash_args_read(struct crash_args *a, int argc, char **argv)
{
    for (size_t i = 0; i < MAX_ARGS && !runs_in_full(); i++)
        if (a->gate[i])
            a->values[i] = a->gate[i];
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--full")) {
            a->is_full = true;
            memcpy(a->values, a->full, sizeof a->values);
        }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full"))
            continue;
        if (i + 1 == argc)
            refuse(argv[i]);
        take(a, argv[i], argv[i + 1]);
        i++;
    }
}

int crash_run(const TTest *test)
{
    Suite *suite = suite_create("crash");
    TCase *t = tcase_create("crash");
    SRunner *runner;
    int failed;

    tcase_add_test(t, test);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    if (failed)
        srunner_print(runner, CK_NORMAL);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
