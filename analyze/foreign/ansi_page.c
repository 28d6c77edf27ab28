/* Guesses the code page of a text by words. */
#include "analyze/foreign/ansi_page.h"

#include "format/base/codepage.h"

#include <stdbool.h>
#include <string.h>

enum { WORDS_MOST = 6 };

/*
 * Words, or their beginnings and ends, that occur in what Windows calls
 * processors, memory, processes, disks, bytes and time.  Each has letters that
 * other pages have at other places; words of Windows-1252 are there so that it
 * can be certain, too.
 */
static const struct {
    uint32_t code_page;
    const char *words[WORDS_MOST];
} languages[] = {
    { 1250, { "Pamięć", "pamięci", "Paměť", "paměti" } },          /* pl, cs */
    { 1250, { "Pamäť", "pamäti", "idő", "írás", "Čas", "času" } }, /* sk, hu */
    { 1251, { "роцесс", "амять", "амяти", "диск", "байт", "врем" } },
    { 1251, { "роцес", "ам'ять", "амет", "часу", "йств" } },  /* uk, bg */
    { 1252, { "träger", "vorgänge", "Größe", "Verfügbar" } }, /* de */
    { 1252, { "Mémoire", "mémoire", "système", "Système" } }, /* fr */
    { 1252, { "Páginas", "páginas", "Läs", "läs" } },         /* es, pt, sv */
    { 1253, { "Μνήμη", "μνήμη", "πεξεργαστ", "ύστημα", "ίσκος", "ιεργασί" } },
    { 1254, { "İşlem", "işlem", "Sayfalama Dosyası", "Kullanılabilir" } },
    { 1255, { "זיכרון", "מעבד", "תהליך", "דיסק" } },
    { 1256, { "الذاكرة", "المعالج", "القرص", "العملية" } },
    { 932, { "メモリ", "プロセ", "ディスク", "バイト", "時間" } },
    { 936, { "内存", "处理器", "进程", "磁盘", "字节" } },
    { 949, { "메모리", "프로세", "디스크", "바이트", "시간" } },
    { 950, { "記憶體", "處理器", "處理程序", "磁碟", "位元組" } },
};

/* A text without NULs, as 'code_page' has it, has one of the words. */
static const char *word_in(const struct pl_buf *text, size_t language)
{
    const char *const *words = languages[language].words;

    for (size_t i = 0; i < WORDS_MOST && words[i]; i++)
        if (strstr((const char *)text->p, words[i]))
            return words[i];
    return NULL;
}

/* Decode what is before NULs, which no text has. */
static bool decode_part(struct pl_buf *out, uint32_t code_page,
                        const uint8_t *p, size_t n)
{
    struct pl_codepages pages = { 0 };

    pl_buf_clear(out);
    pl_codepage_to_utf8(&pages, out, code_page, p, n);
    pl_buf_u8(out, 0);
    pl_codepages_release(&pages);
    return !out->oom;
}

uint32_t pl_ansi_page_guess(const uint8_t *p, size_t n, const char **word)
{
    struct pl_buf text = { 0 };
    uint32_t found = 0, decoded = 0;
    bool several = false;

    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        uint32_t page = languages[i].code_page;
        const char *one;

        if (page != decoded && !decode_part(&text, page, p, n)) {
            several = true;
            break;
        }
        decoded = page;
        one = word_in(&text, i);
        several |= one && found && found != page;
        if (one && !found) {
            found = page;
            *word = one;
        }
    }
    pl_buf_release(&text);
    return several ? 0 : found;
}
