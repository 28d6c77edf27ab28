// Numbers read by std::from_chars, which rounds correctly everywhere.
#include "tests/support/read_number.h"

#include <charconv>
#include <cstring>

double read_number(const char *text, const char **end)
{
    double v = 0;
    const auto got = std::from_chars(text, text + std::strlen(text), v);

    if (end)
        *end = got.ptr;
    return v;
}
