/* Every outcome has words of its own. */
#include "format/base/status.h"
#include "tests/support/support.h"

#include <errno.h>
#include <string.h>

START_TEST(every_status_has_a_line_of_its_own)
{
    char texts[PL_NOMEM + 1][128];

    errno = ENOSPC; /* what PL_IO speaks of */
    for (int s = PL_OK; s <= PL_NOMEM; s++) {
        const char *text = pl_status_text((enum pl_status)s);
        size_t n = strlen(text);

        ck_assert_uint_gt(n, 0);
        ck_assert_uint_lt(n, sizeof texts[s]);
        ck_assert(text[n - 1] != '.' && !strchr(text, '\n'));
        memcpy(texts[s], text, n + 1);
        for (int t = PL_OK; t < s; t++)
            ck_assert_str_ne(texts[s], texts[t]);
    }
    ck_assert_str_eq(texts[PL_IO], strerror(ENOSPC));
    errno = EMFILE;
    ck_assert_ptr_nonnull(strstr(pl_status_text(PL_IO), "ulimit -n"));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("status");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, every_status_has_a_line_of_its_own);
    return run_suite("status", tcases);
}
