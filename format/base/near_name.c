/* The edit distance of names. */
#include "format/base/near_name.h"
#include "format/base/text.h"

/* A name that contains the given one is as near as one with two errors. */
enum { LONGEST_NAME = 120, FAR = 1000, A_PART = 2 };

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

unsigned pl_name_distance(struct pl_text a, struct pl_text b)
{
    unsigned row[LONGEST_NAME + 1];

    if (a.n > LONGEST_NAME || b.n > LONGEST_NAME)
        return FAR;
    for (unsigned k = 0; k <= b.n; k++)
        row[k] = k;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned corner = row[0];

        row[0] = i;
        for (unsigned k = 1; k <= b.n; k++) {
            unsigned other = lower(a.p[i - 1]) != lower(b.p[k - 1]);
            unsigned next = min3(row[k] + 1, row[k - 1] + 1, corner + other);

            corner = row[k];
            row[k] = next;
        }
    }
    return row[b.n];
}

static bool is_part(struct pl_text part, struct pl_text of)
{
    for (size_t at = 0; part.n >= 3 && at + part.n <= of.n; at++) {
        size_t i = 0;

        while (i < part.n && lower(part.p[i]) == lower(of.p[at + i]))
            i++;
        if (i == part.n)
            return true;
    }
    return false;
}

/* What people say, and the object of perflog and Windows that has it. */
static const struct {
    const char *word, *name;
} other_words[] = {
    { "cpu", "Processor" },
    { "cpus", "Processor" },
    { "core", "Processor" },
    { "ram", "Memory" },
    { "mem", "Memory" },
    { "swap", "Paging File" },
    { "disk", "PhysicalDisk" },
    { "disks", "PhysicalDisk" },
    { "io", "PhysicalDisk" },
    { "net", "Network Interface" },
    { "nic", "Network Interface" },
    { "eth", "Network Interface" },
    { "proc", "Process" },
    { "task", "Process" },
    { "load", "System" },
};

static bool is_other_word(struct pl_text wanted, struct pl_text name)
{
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (!pl_name_distance(wanted, pl_text_of(other_words[i].word)) &&
            pl_text_equal(name, pl_text_of(other_words[i].name)))
            return true;
    return false;
}

unsigned pl_name_likeness(struct pl_text wanted, struct pl_text name)
{
    unsigned d = pl_name_distance(wanted, name);

    if (is_other_word(wanted, name))
        return 1;
    return d > A_PART && is_part(wanted, name) ? A_PART : d;
}

bool pl_name_is_near(unsigned distance, struct pl_text wanted)
{
    return distance <= (wanted.n < 6 ? 2 : wanted.n / 3);
}
