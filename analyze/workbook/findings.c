/* Keeps the texts of findings. */
#include "analyze/workbook/findings.h"

#include "analyze/diagnose/findings_text.h"

static bool keep_finding(struct pl_xlsx_finding *to,
                         const struct pl_diagnosis *d,
                         const struct pl_shown_finding *f)
{
    const struct pl_episode *head = f->finding->head;
    const struct pl_culprit *by = f->culprits.num ? f->culprits.list : NULL;

    to->first_ns = pl_episode_begin(head);
    to->last_ns = pl_episode_end(d, head);
    if (to->last_ns < to->first_ns)
        to->last_ns = to->first_ns;
    to->severity = f->finding->severity;
    pl_buf_string(&to->words, head->series->rule->words);
    pl_episode_put_evidence(&to->evidence, d, head);
    if (by) {
        to->share = by->share;
        pl_culprit_put_name(&to->process, by);
        pl_buf_string(&to->user, by->user);
        pl_buf_string(&to->evidence, *by->command ? "; " : "");
        pl_buf_string(&to->evidence, by->command);
    }
    return !to->words.oom && !to->evidence.oom && !to->process.oom &&
           !to->user.oom;
}

static enum pl_status take(void *ctx, struct pl_diagnosis *d)
{
    struct pl_xlsx_findings *f = ctx;
    bool good = true;

    for (size_t i = 0; d && i < d->num && good; i++)
        good = keep_finding(&f->list[f->num++], d, &d->shown[i]);
    f->more = d ? d->more : 0;
    return good ? PL_OK : PL_NOMEM;
}

enum pl_status pl_xlsx_findings_find(struct pl_xlsx_findings *f,
                                     struct pl_query *e)
{
    return pl_findings_for(e, take, f);
}

void pl_xlsx_findings_release(struct pl_xlsx_findings *f)
{
    for (size_t i = 0; i < f->num; i++) {
        pl_buf_release(&f->list[i].words);
        pl_buf_release(&f->list[i].process);
        pl_buf_release(&f->list[i].user);
        pl_buf_release(&f->list[i].evidence);
    }
    f->num = 0;
}
