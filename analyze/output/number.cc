// Numbers as text: std::to_chars gives the shortest digits, which C cannot.
#include "analyze/output/number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

namespace
{

constexpr double exact_limit = 9007199254740992.0; // 2^53
constexpr double least_plain = 1e-7;
constexpr int plain_from = -7; // exponents of ten
constexpr int plain_to = 21;

size_t put_zeros(char *out, size_t n)
{
    std::memset(out, '0', n);
    return n;
}

// n digits, meaning d.ddd * 10^exponent, in plain notation.
size_t put_plain(const char *digits, size_t n, int exponent, char *out)
{
    size_t at = 0;

    if (exponent < 0) {
        out[at++] = '0';
        out[at++] = '.';
        at += put_zeros(out + at, static_cast<size_t>(-exponent - 1));
        std::memcpy(out + at, digits, n);
        return at + n;
    }
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (n <= whole) {
        std::memcpy(out, digits, n);
        return n + put_zeros(out + n, whole - n);
    }
    std::memcpy(out, digits, whole);
    out[whole] = '.';
    std::memcpy(out + whole + 1, digits + whole, n - whole);
    return n + 1;
}

// Move "e+XX", or the end, over the trailing zeros of a fraction.  Returns the
// new end.
char *drop_zeros(char *e, char *end)
{
    char *to = e;

    while (to[-1] == '0')
        to--;
    if (to[-1] == '.')
        to--;
    std::memmove(to, e, static_cast<size_t>(end - e));
    return to + (end - e);
}

// Finite, above 0; digits 0: the fewest that read back as the same double.
size_t put_positive(double v, unsigned digits, char *out)
{
    constexpr auto form = std::chars_format::scientific;
    char text[PL_NUMBER_TEXT];
    char *const cap = text + sizeof text;
    char *end =
        digits ? std::to_chars(text, cap, v, form, static_cast<int>(digits) - 1)
                     .ptr
               : std::to_chars(text, cap, v, form).ptr;
    char *e = end - 4; // "e+XX" or "e+XXX"
    int exponent = 0;

    if (*e != 'e')
        e--;
    if (digits > 1) {
        end = drop_zeros(e, end);
        e = static_cast<char *>(std::memchr(text, 'e', sizeof text));
    }
    std::from_chars(e + 2, end, exponent);
    if (e[1] == '-')
        exponent = -exponent;
    if (exponent < plain_from || exponent >= plain_to) {
        const auto n = static_cast<size_t>(end - text);
        std::memcpy(out, text, n);
        return n;
    }
    if (text[1] == 'e')
        return put_plain(text, 1, exponent, out);
    text[1] = text[0]; // over the point, so that the digits are adjacent
    return put_plain(text + 1, static_cast<size_t>(e - text - 1), exponent,
                     out);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;

constexpr double seventeen_from = 1e-3;

struct powers_of_ten {
    uint64_t of[20];

    constexpr powers_of_ten() : of{ 1 }
    {
        for (int i = 1; i < 20; i++)
            of[i] = of[i - 1] * 10;
    }
};

constexpr powers_of_ten ten_to;

// Exponent of v's first digit.
int exponent_of(double v)
{
    // No double lies between these and the true powers below them.
    if (v < 1)
        return v >= 1e-1 ? -1 : v >= 1e-2 ? -2 : -3;
    const auto whole = static_cast<uint64_t>(v);
    int exponent = 0;
    while (whole >= ten_to.of[exponent + 1])
        exponent++;
    return exponent;
}

// 17 digits of seventeen_from <= v < exact_limit, which 128 bits hold exactly:
// std::to_chars calculates with many more, for numbers of any size.
size_t put_17(double v, char *out)
{
    int binary, exponent = exponent_of(v);
    const double fraction = std::frexp(v, &binary);
    const int shift = 53 - binary; // v = mantissa / 2^shift
    const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
    const uint128 scaled =
        static_cast<uint128>(mantissa) * ten_to.of[16 - exponent];
    auto digits = static_cast<uint64_t>(scaled >> shift);
    if (shift) {
        const uint128 half = static_cast<uint128>(1) << (shift - 1);
        const uint128 rest = scaled & (2 * half - 1);
        if (rest > half || (rest == half && digits % 2))
            digits++;
    }
    if (digits == ten_to.of[17]) {
        digits = ten_to.of[16];
        exponent++;
    }
    char text[PL_NUMBER_TEXT];
    size_t n = pl_integer_put(digits, text);
    while (text[n - 1] == '0')
        n--;
    return put_plain(text, n, exponent, out);
}
#endif

struct pairs_of_digits {
    char of[200];

    constexpr pairs_of_digits() : of{}
    {
        for (int i = 0; i < 100; i++) {
            of[2 * i] = static_cast<char>('0' + i / 10);
            of[2 * i + 1] = static_cast<char>('0' + i % 10);
        }
    }
};

constexpr pairs_of_digits pairs;

void put_four(unsigned v, char *out)
{
    std::memcpy(out, pairs.of + v / 100 * 2, 2);
    std::memcpy(out + 2, pairs.of + v % 100 * 2, 2);
}

constexpr double few_limit = 1e7;
constexpr unsigned few_scale = 100000000; // 8 places after the point

// v < few_limit as a decimal of at most that many places; 0: it is not one.
// These have at most 15 digits, so no two are the same double, and the quotient
// is the double that the decimal reads back as: no other decimal is as short.
size_t put_few(double v, char *out)
{
    const auto digits = static_cast<uint64_t>(v * few_scale + 0.5);
    if (static_cast<double>(digits) / few_scale != v)
        return 0;
    const auto places = static_cast<unsigned>(digits % few_scale);
    size_t n = pl_integer_put(digits / few_scale, out);
    out[n++] = '.';
    put_four(places / 10000, out + n);
    put_four(places % 10000, out + n + 4);
    n += 8;
    while (out[n - 1] == '0')
        n--;
    return n;
}

} // namespace

size_t pl_number_put(double v, char out[PL_NUMBER_TEXT])
{
    size_t sign = 0;

    if (v < 0) {
        out[sign++] = '-';
        v = -v;
    }
    // Most cells are small integers, whose digits are cheap; nearly all others
    // have a fraction with few digits.
    if (v < exact_limit) {
        const auto whole = static_cast<uint64_t>(v);
        if (static_cast<double>(whole) == v)
            return sign + pl_integer_put(whole, out + sign);
        if (v >= least_plain) {
            const size_t n = v < few_limit ? put_few(v, out + sign) : 0;
            return n ? sign + n
                     : static_cast<size_t>(
                           std::to_chars(out + sign, out + PL_NUMBER_TEXT, v,
                                         std::chars_format::fixed)
                               .ptr -
                           out);
        }
    } else if (!(v <= std::numeric_limits<double>::max())) {
        return 0;
    }
    return sign + put_positive(v, 0, out + sign);
}

size_t pl_number_put_rounded(double v, unsigned digits,
                             char out[PL_NUMBER_TEXT])
{
    size_t sign = 0;

    if (v < 0) {
        out[sign++] = '-';
        v = -v;
    }
    if (v == 0) {
        out[0] = '0';
        return 1;
    }
    if (!(v <= std::numeric_limits<double>::max()))
        return 0;
    return sign + put_positive(v, digits, out + sign);
}

size_t pl_number_put_17g(double v, char out[PL_NUMBER_TEXT])
{
    if (!(v >= std::numeric_limits<double>::lowest() &&
          v <= std::numeric_limits<double>::max()))
        return 0;
#ifdef __SIZEOF_INT128__
    const double size = std::fabs(v);
    if (size >= seventeen_from && size < exact_limit) {
        out[0] = '-';
        return (v < 0) + put_17(size, out + (v < 0));
    }
#endif
    if (v == 0 && !std::signbit(v)) {
        out[0] = '0';
        return 1;
    }
    return static_cast<size_t>(std::to_chars(out, out + PL_NUMBER_TEXT, v,
                                             std::chars_format::general, 17)
                                   .ptr -
                               out);
}

size_t pl_integer_put(uint64_t v, char out[PL_NUMBER_TEXT])
{
    return static_cast<size_t>(std::to_chars(out, out + 20, v).ptr - out);
}

size_t pl_hex_put(uint64_t v, unsigned digits, char out[PL_NUMBER_TEXT])
{
    static const char hex[] = "0123456789abcdef";

    out[0] = '0';
    out[1] = 'x';
    for (unsigned i = digits; i > 0; i--, v >>= 4)
        out[1 + i] = hex[v & 15];
    return 2 + digits;
}

bool pl_number_read(const char *p, size_t n, double *v)
{
    const char *end = p + n;

    if (n > 1 && *p == '+' && p[1] != '-')
        p++;
    const auto got = std::from_chars(p, end, *v);
    return got.ec == std::errc() && got.ptr == end && std::isfinite(*v);
}
