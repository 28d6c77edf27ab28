/* The edit distance of names. */
#include "format/base/near_name.h"

enum { LONGEST_NAME = 120, FAR = 1000 };

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

bool pl_name_is_near(unsigned distance, struct pl_text wanted)
{
    return distance <= (wanted.n < 6 ? 2 : wanted.n / 3);
}
