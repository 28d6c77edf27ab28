/*                                             logger/windows/dll/answer.h
 * The objects of a table as Windows takes them from a provider: one behind the
 * other, as in a block, with the numbers that their names have here
 * (logger/provider/titles.h).
 */
#ifndef PL_WINDOWS_DLL_ANSWER_H
#define PL_WINDOWS_DLL_ANSWER_H

#include "format/buf.h"
#include "logger/windows/dll/shelf.h"

/* What is asked for. */
struct pl_question {
    const wchar_t *value; /* title indexes; NULL: everything */
    uint32_t first, last; /* title indexes that are ours */
    int64_t perf_freq;    /* of the performance counter, in Hz */
    int64_t now_100ns;    /* pl_prov_clock */
};

/*
 * True if a value string of Windows asks for our objects; *value is what it
 * leaves to choose from.  NULL and "" ask for everything, as "Global" does;
 * "Costly", "Foreign..." and "Query..." for nothing that is here.
 */
bool pl_question_is_ours(const wchar_t **value);

/*
 * Append the objects, and count them.  PL_NOMEM; PL_UNSUPPORTED: the table has
 * more names than Windows was told of.
 */
enum pl_status pl_answer(struct pl_buf *out, uint32_t *num, struct pl_shelf *s,
                         const struct pl_question *q);

#endif
