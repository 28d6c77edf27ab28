/* The frame of pages of charts: head, style, scripts; figures. */
#include "analyze/report/page_frame.h"

#include "analyze/output/number.h"
#include "analyze/report/assets.h"

#include <math.h>
#include <sha2.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- figures ------------------------------------------------------------- */

/* Of figures in tables. */
enum { DIGITS = 4 };

static bool counts_bytes(const char *counter)
{
    return (strstr(counter, "Bytes") && !strstr(counter, "KBytes") &&
            !strstr(counter, "MBytes")) ||
           strstr(counter, "Working Set");
}

const char *pl_page_unit(const char *counter)
{
    size_t n = strlen(counter);
    bool rate = n > 4 && !strcmp(counter + n - 4, "/sec");

    if (*counter == '%')
        return "%";
    if (!strncmp(counter, "Avg. Disk sec/", 14))
        return "s";
    if (counts_bytes(counter))
        return rate ? "B/s" : "B";
    return rate ? "/s" : "";
}

/* Parts of a second. */
static void put_short_time(struct pl_html *h, double v)
{
    const bool milli = v >= 1e-3;
    char text[PL_NUMBER_TEXT];

    pl_html_bytes(h, text,
                  pl_number_put_rounded(v * (milli ? 1e3 : 1e6), DIGITS, text));
    pl_html_format(h, "\u00a0%s", milli ? "ms" : "\u00b5s");
}

void pl_page_figure(struct pl_html *h, double v, const char *unit)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
    enum { LAST = sizeof prefixes / sizeof *prefixes - 1 };
    char text[PL_NUMBER_TEXT];
    size_t power = 0;

    if (!strcmp(unit, "s") && v > 0 && v < 1) {
        put_short_time(h, v);
        return;
    }
    while (power < LAST && fabs(v) >= 1000 && *unit != '%') {
        v /= 1000;
        power++;
    }
    pl_html_bytes(h, text, pl_number_put_rounded(v, DIGITS, text));
    if (power || *unit)
        pl_html_format(h, "\u00a0%s%s", prefixes[power], unit);
}

/* ---- head ---------------------------------------------------------------- */

/* 'sha256-…' of the content between the tags of a script or style sheet. */
static void put_hash(struct pl_html *h, struct pl_text content)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t hash[SHA256_DIGEST_LENGTH + 1] = { 0 };
    char text[SHA256_DIGEST_LENGTH / 3 * 4 + 5];
    size_t n = 0;
    SHA2_CTX sha;

    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)content.p, content.n);
    SHA256Final(hash, &sha);
    for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i += 3) {
        uint32_t bits = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8;

        if (i + 2 < SHA256_DIGEST_LENGTH)
            bits |= hash[i + 2];
        for (unsigned k = 0; k < 4; k++)
            text[n++] = digits[bits >> (18 - 6 * k) & 63];
    }
    text[n - 1] = '='; /* 32 bytes are one short of 11 groups of 3 */
    text[n] = 0;
    pl_html_format(h, " 'sha256-%s'", text);
}

static void put_element(struct pl_html *h, const char *name,
                        struct pl_text content)
{
    pl_html_format(h, "<%s>", name);
    pl_html_bytes(h, content.p, content.n);
    pl_html_format(h, "</%s>\n", name);
}

void pl_page_open_head(struct pl_html *h)
{
    const struct pl_report_assets *a = &pl_report_assets;

    pl_html_put(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" "
                   "content=\"default-src 'none'; img-src data:; "
                   "base-uri 'none'; form-action 'none'; style-src");
    put_hash(h, a->uplot_css);
    put_hash(h, a->page_css);
    pl_html_put(h, "; script-src");
    put_hash(h, a->uplot_js);
    put_hash(h, a->page_js);
    pl_html_put(h, "\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"generator\" content=\"perflog " PL_VERSION
                   "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
}

void pl_page_close_head(struct pl_html *h)
{
    pl_html_put(h, "</title>\n");
    put_element(h, "style", pl_report_assets.uplot_css);
    put_element(h, "style", pl_report_assets.page_css);
    pl_html_put(h, "</head>\n<body>\n");
}

/* ---- body ---------------------------------------------------------------- */

static void put_host_choice(struct pl_html *h, const char *const *hosts,
                            size_t num)
{
    if (num < 2)
        return;
    pl_html_put(h, "<label class=\"whole\">Host <select id=\"host\">"
                   "<option value=\"\">all, overlaid</option>");
    for (size_t i = 0; i < num; i++) {
        pl_html_format(h, "<option value=\"%zu\">", i);
        pl_html_string(h, hosts[i]);
        pl_html_put(h, "</option>");
    }
    pl_html_put(h, "</select></label>\n");
}

/* Useless without the script, which shows it. */
void pl_page_toolbar(struct pl_html *h, const char *const *hosts, size_t num)
{
    pl_html_put(h,
                "<div class=\"toolbar\" id=\"toolbar\" role=\"group\" "
                "aria-label=\"Time shown in all charts\" hidden>\n"
                "<span id=\"shown\"></span>\n"
                "<button type=\"button\" id=\"earlier\" aria-label=\"Earlier\">"
                "\u2190</button>\n"
                "<button type=\"button\" id=\"later\" aria-label=\"Later\">"
                "\u2192</button>\n"
                "<button type=\"button\" id=\"closer\" aria-label=\"Zoom in\">"
                "+</button>\n"
                "<button type=\"button\" id=\"wider\" aria-label=\"Zoom out\">"
                "\u2212</button>\n"
                "<button type=\"button\" id=\"all\">Show all</button>\n");
    put_host_choice(h, hosts, num);
    pl_html_put(
        h, "<input type=\"search\" id=\"search\" placeholder=\"Find a series\" "
           "aria-label=\"Find a series in the tables\">\n"
           "<span class=\"hint\" id=\"hint\">Drag over a chart to zoom. With a "
           "chart in focus: arrow keys move the cursor, + and \u2212 zoom, 0 "
           "shows all.</span>\n</div>\n"
           "<p class=\"spoken\" id=\"status\" role=\"status\"></p>\n"
           "<noscript><p>Without scripts there are no curves; the tables have "
           "the figures.</p></noscript>\n"
           "<h2 class=\"spoken\">Charts</h2>\n");
}

void pl_page_open_main(struct pl_html *h)
{
    pl_html_put(h, "<main>\n");
}

void pl_page_close_main(struct pl_html *h, const char *explanation)
{
    pl_html_format(
        h,
        "</main>\n<footer>\n<p>Made by perflog %s. %sCurves show means; the "
        "shade around them reaches from the least to the greatest value. Means "
        "are weighed by time.</p>\n<details><summary>Licence of uPlot, which "
        "draws the charts</summary>\n<pre>",
        PL_VERSION, explanation);
    pl_html_lines(h, pl_report_assets.uplot_licence);
    pl_html_put(h, "</pre></details>\n</footer>\n"
                   "<script type=\"application/json\" id=\"data\">\n");
}

void pl_page_close(struct pl_html *h)
{
    pl_html_put(h, "</script>\n");
    put_element(h, "script", pl_report_assets.uplot_js);
    put_element(h, "script", pl_report_assets.page_js);
    pl_html_put(h, "</body>\n</html>\n");
}
