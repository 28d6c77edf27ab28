/* Shell completion: candidates for words, and the shells' scripts. */
#include "format/cli/completion.h"

#include "format/time/zone.h"

#include <stdbool.h>
#include <string.h>

/* ---- words as typed ----------------------------------------------------- */

/* Remove quotes and backslashes as a shell does; one quote may be open. */
static void unquote(char *word)
{
    char quote = 0, *out = word;

    for (const char *in = word; *in; in++) {
        bool opens = !quote && (*in == '\'' || *in == '"');

        if (opens || (quote && *in == quote)) {
            quote = opens ? *in : 0;
            continue;
        }
        if (*in == '\\' && in[1] && !quote)
            in++;
        else if (quote == '"' && *in == '\\' && in[1] &&
                 strchr("\\\"$`", in[1]))
            in++;
        *out++ = *in;
    }
    *out = 0;
}

/* ---- printing ----------------------------------------------------------- */

/* Print a candidate if it begins with 'start'; its help goes on one line. */
static void put(FILE *out, const char *start, const char *before,
                const char *word, size_t len, const char *help)
{
    size_t n = strlen(start);

    if (n <= len && !strncmp(word, start, n))
        fprintf(out, "%s%.*s\t%s\n", before, (int)len, word, help);
}

/* In capitals it stands for what the user thinks of. */
static bool is_stand_in(const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] < 'A' || word[i] > 'Z')
            return false;
    return true;
}

/* Print the words of "one|two|THREE" that are not stand-ins. */
static void put_choice(FILE *out, const char *start, const char *before,
                       const char *choice)
{
    while (*choice) {
        size_t n = strcspn(choice, "|");

        if (!is_stand_in(choice, n))
            put(out, start, before, choice, n, "");
        choice += n + (choice[n] == '|');
    }
}

static void put_option(FILE *out, const struct pl_option *o, const char *start)
{
    if (!strncmp(start, "--", 2) || !start[1])
        put(out, start[1] ? start + 2 : "", "--", o->name, strlen(o->name),
            o->help);
}

static void put_options(FILE *out, const struct pl_command *c,
                        const char *start)
{
    const struct pl_option *o;

    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++)
        put_option(out, o, start);
}

/* ---- the word's position ------------------------------------------------ */

static const struct pl_option *long_option(const struct pl_command *c,
                                           const char *name, size_t len)
{
    const struct pl_option *o;

    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++)
        if (strlen(o->name) == len && !memcmp(o->name, name, len))
            break;
    return o;
}

/* The option of "-abc" whose argument is the next word; NULL: none. */
static const struct pl_option *short_options(const struct pl_command *c,
                                             const char *letters)
{
    const struct pl_option *o;

    for (; *letters; letters++)
        for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++)
            if (o->letter == *letters && o->arg)
                return letters[1] ? NULL : o;
    return NULL;
}

struct place {
    const struct pl_command *command;
    const struct pl_option *waiting; /* its argument is the next word */
    const struct pl_option *last;    /* whose argument was the last word */
    const char *operand;             /* the first */
    bool all_operands;               /* "--" came before */
};

static void pass(struct place *p, const char *word)
{
    const struct pl_option *last = p->last;

    p->last = NULL;
    if (p->waiting && !strcmp(word, "=")) {
        return; /* bash splits --a=b into three words */
    } else if (p->waiting) {
        p->last = p->waiting;
        p->waiting = NULL;
    } else if (last && !strcmp(word, ":")) { /* and --top 5:b into four */
        p->waiting = p->last = last;
    } else if (!p->all_operands && !strcmp(word, "--")) {
        p->all_operands = true;
    } else if (!p->all_operands && !strncmp(word, "--", 2)) {
        const struct pl_option *o =
            long_option(p->command, word + 2, strlen(word + 2));

        p->waiting = o && o->arg ? o : NULL;
    } else if (!p->all_operands && *word == '-' && word[1]) {
        p->waiting = short_options(p->command, word + 1);
    } else if (!p->operand) {
        p->operand = word;
    }
}

/* ---- candidates --------------------------------------------------------- */

struct words {
    FILE *out;
    const char *start, *before;
};

static void put_word(void *context, const char *word)
{
    struct words *w = context;

    put(w->out, w->start, w->before, word, strlen(word), "");
}

static void put_zones(FILE *out, const char *start, const char *before)
{
    struct words w = { out, start, before };

    put_choice(out, start, before, "log|UTC|local");
    pl_zone_names(put_word, &w);
}

static struct pl_completion argument(FILE *out, const char *kind,
                                     const char *before, const char *text)
{
    struct pl_completion more = { .text = text };

    if (strchr(kind, '['))
        more.more = PL_COMPLETE_NOTHING;
    else if (strchr(kind, '|'))
        put_choice(out, text, before, kind);
    else if (!strcmp(kind, "ZONE"))
        put_zones(out, text, before);
    else if (!strcmp(kind, "FILE") || !strcmp(kind, "NEW"))
        more.more = PL_COMPLETE_FILES;
    else if (!strcmp(kind, "DIR"))
        more.more = PL_COMPLETE_FOLDERS;
    else if (!strcmp(kind, "PATH"))
        more.more = *text == '@' ? PL_COMPLETE_NOTHING : PL_COMPLETE_COUNTERS;
    return more;
}

static struct pl_completion operand(FILE *out, const struct pl_command *c,
                                    const char *text)
{
    const char *usage = c->usage;
    size_t n = strcspn(usage, " ");
    bool is_log = !strstr(usage, "FILE...");

    if (!usage[n] && strchr(usage, '|'))
        return argument(out, usage, "", text);
    return (struct pl_completion){ .more = is_log ? PL_COMPLETE_LOGS
                                                  : PL_COMPLETE_FILES,
                                   .text = text };
}

/* "N:NAME" */
static bool takes_name(const struct pl_option *o)
{
    return strstr(o->arg, "[:COUNTER]") != NULL;
}

static struct pl_completion word_at(const struct place *p, char *word,
                                    FILE *out)
{
    const char *equals = strchr(word, '=');
    const struct pl_option *o;

    /* bash makes words of what is before and behind a colon, and of that */
    if (p->waiting ? takes_name(p->waiting) && (p->last || strchr(word, ':'))
                   : p->last && takes_name(p->last) && !strcmp(word, ":"))
        return (struct pl_completion){ PL_COMPLETE_NAMES, word, NULL };
    if (p->waiting)
        return argument(out, p->waiting->arg, "",
                        strcmp(word, "=") ? word : "");
    if (p->all_operands || *word != '-')
        return operand(out, p->command, word);
    if (equals && !strncmp(word, "--", 2)) {
        char before[80];

        o = long_option(p->command, word + 2, (size_t)(equals - word) - 2);
        snprintf(before, sizeof before, "%.*s", (int)(equals - word) + 1, word);
        if (o && o->arg && (strchr(o->arg, '|') || !strcmp(o->arg, "ZONE")))
            return argument(out, o->arg, before, equals + 1);
    } else {
        put_options(out, p->command, word);
    }
    return (struct pl_completion){ .text = word };
}

struct pl_completion
pl_completion_words(const struct pl_command *const *commands, size_t num,
                    char **words, size_t num_words, size_t at, FILE *out)
{
    struct pl_completion more = { 0 };
    struct place p = { 0 };
    bool is_command;

    for (size_t i = 0; i < num_words; i++)
        unquote(words[i]);
    if (at < 1 || at >= num_words)
        return more;
    is_command = at == 1 || (at == 2 && !strcmp(words[1], "help"));
    for (size_t i = 0; i < num; i++)
        if (is_command)
            put(out, words[at], "", commands[i]->name,
                strlen(commands[i]->name), commands[i]->summary);
        else if (!strcmp(words[1], commands[i]->name))
            p.command = commands[i];
    if (!p.command)
        return more;
    for (size_t i = 2; i < num_words; i++)
        if (i == at) {
            more = word_at(&p, words[i], out);
            p.waiting = NULL;
        } else {
            pass(&p, words[i]);
        }
    if (strstr(p.command->usage, "LOG")) /* else counters of this machine */
        more.log = p.operand;
    return more;
}

/* ---- the shells' scripts ------------------------------------------------ */

/*
 * Each runs 'perflog completion words AT -- WORD...', which prints lines of
 * words with help, and perhaps ":files", ":logs" or ":folders", which the shell
 * completes itself, or ":paths": following lines are quoted like files.
 */
static const char bash[] =
    "_perflog()\n"
    "{\n"
    "    local line more=\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :*) more=$line ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(perflog completion words \"$COMP_CWORD\" -- "
    "\"${COMP_WORDS[@]}\" 2>/dev/null)\n"
    "    case $more in\n"
    "    :files) compopt -o default ;;\n"
    "    :logs)\n"
    "        compopt -o filenames -o plusdirs\n"
    "        while IFS= read -r line; do\n"
    "            case ${line,,} in *.plog|*.blg|*.csv|*.tsv)\n"
    "                COMPREPLY+=(\"$line\") ;;\n"
    "            esac\n"
    "        done < <(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
    "        ;;\n"
    "    :folders) compopt -o dirnames ;;\n"
    "    :paths) compopt -o filenames ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _perflog perflog\n";

static const char zsh[] =
    "#compdef perflog\n"
    "_perflog()\n"
    "{\n"
    "    local line more\n"
    "    local -a names shown\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :*) more=$line ;;\n"
    "        *)\n"
    "            names+=(\"${line%%$'\\t'*}\")\n"
    "            shown+=(\"${line/$'\\t'/  }\")\n"
    "            ;;\n"
    "        esac\n"
    "    done < <(perflog completion words $((CURRENT - 1)) -- "
    "\"${words[@]}\" 2>/dev/null)\n"
    "    case $more in\n"
    "    :files) _files ;;\n"
    "    :logs) _files -g '(#i)*.(plog|blg|csv|tsv)' ;;\n"
    "    :folders) _files -/ ;;\n"
    "    :paths) compadd -M 'm:{a-zA-Z}={A-Za-z}' -a names ;;\n"
    "    *) compadd -l -d shown -a names ;;\n"
    "    esac\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _perflog ]; then\n"
    "    _perflog \"$@\"\n"
    "else\n"
    "    compdef _perflog perflog\n"
    "fi\n";

static const char fish[] =
    "function __perflog_words\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l lines (perflog completion words "
    "(math (count $words) - 1) -- $words 2>/dev/null)\n"
    "    for line in $lines\n"
    "        switch $line\n"
    "            case ':files'\n"
    "                __fish_complete_path (commandline -ct)\n"
    "            case ':logs'\n"
    "                __fish_complete_path (commandline -ct) | "
    "string match -ri '.*(?:/|[.](?:plog|blg|csv|tsv))(?:\\t.*)?$'\n"
    "            case ':folders'\n"
    "                __fish_complete_directories (commandline -ct)\n"
    "            case ':paths'\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c perflog -f -a '(__perflog_words)'\n";

const char *pl_completion_script(const char *shell)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (!strcmp(shell, scripts[i].shell))
            return scripts[i].script;
    return NULL;
}
