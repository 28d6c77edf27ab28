/* libperflog's public headers say the same as those it is built of. */
#include "analyze/calc/calc.h"
#include "format/base/status.h"
#include "tests/support/support.h"
#include "tests/unit/analyze/library/public_side.h"

#include <stddef.h>

#define NUMBER(expression) { #expression, (long)(expression) },
static const struct public_number inner_numbers[] = {
#include "tests/unit/analyze/library/public_numbers.h"
    { NULL, 0 },
};

START_TEST(both_sets_of_headers_have_the_same_numbers)
{
    size_t i;

    for (i = 0; inner_numbers[i].expression; i++) {
        ck_assert_str_eq(public_numbers[i].expression,
                         inner_numbers[i].expression);
        ck_assert_msg(public_numbers[i].value == inner_numbers[i].value,
                      "%s: %ld outside, %ld inside",
                      inner_numbers[i].expression, public_numbers[i].value,
                      inner_numbers[i].value);
    }
    ck_assert_ptr_null(public_numbers[i].expression);
    ck_assert_uint_gt(i, 60);
}
END_TEST

int main(void)
{
    TCase *all[] = { tcase_create("numbers"), NULL };

    tcase_add_test(all[0], both_sets_of_headers_have_the_same_numbers);
    return run_suite("public", all);
}
