/* leaks kept | lost: allocates and ends, for test_leaks.py.  What is kept is held by variables on many pages, of which
   between are some that were never written; of what is lost nothing knows. */
#include <stdlib.h>
#include <string.h>

#define PAGE 4096
#define HELD 400

static char *volatile in_data[2] = { (char *)in_data, NULL };
static struct {
    char *volatile first;
    char unwritten[2 * PAGE - sizeof(char *)];
} held[HELD];
static char *volatile few;

__attribute__((noinline)) static void lose(void)
{
    char *volatile lost = malloc(100);

    if (lost)
        *lost = 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "kept") == 0) {
        in_data[1] = malloc(100);
        few = malloc(100);
        for (int i = 0; i < HELD; i++)
            held[i].first = malloc(100);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "lost") == 0) {
        for (int i = 0; i < 100; i++)
            lose();
        return 0;
    }
    return 64;
}
