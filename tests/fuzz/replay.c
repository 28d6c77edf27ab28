/*
 * Runs a target over files: 'fuzz_NAME FILE-OR-FOLDER...'.  What libFuzzer
 * does with a corpus, for compilers that have no libFuzzer.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned num_runs;

static bool run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    uint8_t *p;
    bool good;

    if (!f || fstat(fileno(f), &st)) {
        perror(path);
        if (f)
            fclose(f);
        return false;
    }
    p = malloc((size_t)st.st_size + 1);
    good = p && fread(p, 1, (size_t)st.st_size, f) == (size_t)st.st_size;
    fclose(f);
    if (good)
        LLVMFuzzerTestOneInput(p, (size_t)st.st_size);
    free(p);
    num_runs++;
    return good;
}

static bool run_folder(const char *path)
{
    struct dirent **list;
    int n = scandir(path, &list, NULL, alphasort);
    bool good = true;

    if (n < 0)
        return run_file(path);
    for (int i = 0; i < n; i++) {
        char name[4096];

        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        if (list[i]->d_name[0] != '.')
            good = run_file(name) && good;
        free(list[i]);
    }
    free(list);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;

    for (int i = 1; i < argc; i++)
        good = run_folder(argv[i]) && good;
    printf("%u inputs\n", num_runs);
    return good && num_runs ? EXIT_SUCCESS : EXIT_FAILURE;
}
