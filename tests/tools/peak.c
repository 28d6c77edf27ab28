/*
 * What a program took at most: peak FILE PROGRAM [ARGUMENT...] runs it and
 * writes to FILE the bytes of memory that it had at once and its microseconds
 * of processor time; the exit status is the program's.  A test in Python
 * cannot tell, as its own memory counts for that of a child.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t us(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage used;
    pid_t child;
    FILE *f;
    int status;

    if (argc < 3)
        return 125;
    child = fork();
    if (!child) {
        execv(argv[2], argv + 2);
        _exit(126);
    }
    f = fopen(argv[1], "w");
    if (child < 0 || !f || wait4(child, &status, 0, &used) < 0)
        return 125;
    fprintf(f, "%" PRId64 " %" PRId64 "\n", (int64_t)used.ru_maxrss * 1024,
            us(used.ru_utime) + us(used.ru_stime));
    fclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
