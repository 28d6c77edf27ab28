/* Reads options from a file. */
#include "format/cli/option_file.h"

#include "format/base/text_lines.h"

#include <string.h>

bool pl_option_file_open(struct pl_option_file *c,
                         const struct pl_command *command, const char *path)
{
    enum pl_status s;

    *c = (struct pl_option_file){ .command = command, .path = path };
    s = pl_text_lines_read(&c->text, path);
    c->rest = s ? NULL : (char *)c->text.p;
    if (s)
        pl_say_status(path, s, NULL);
    return !s;
}

void pl_option_file_release(struct pl_option_file *c)
{
    pl_buf_release(&c->text);
    *c = (struct pl_option_file){ 0 };
}

/* Split "name = argument"; NULL: there is no '='. */
static char *cut_argument(char *line)
{
    char *argument = strchr(line, '=');

    if (!argument)
        return NULL;
    *argument++ = 0;
    pl_text_lines_trim(line);
    return pl_text_lines_trim(argument);
}

int pl_option_file_next(struct pl_option_file *c, const char **arg)
{
    const struct pl_command *command = c->command;
    char *line = pl_text_lines_next(&c->rest);

    if (!line)
        return PL_OPTION_END;
    *arg = cut_argument(line);
    for (size_t i = 0; i < command->num_options; i++) {
        const struct pl_option *o = &command->options[i];

        if (strcmp(line, o->name) != 0)
            continue;
        if (!o->arg == !*arg)
            return (int)i;
        pl_say("%s: option %s %s; write '%s%s%s'", c->path, line,
               o->arg ? "needs an argument" : "takes no argument", line,
               o->arg ? " = " : "", o->arg ? o->arg : "");
        return PL_OPTION_WRONG;
    }
    pl_say("%s: '%s' is no option of %s; see 'perflog %s --help'", c->path,
           line, command->name, command->name);
    return PL_OPTION_WRONG;
}
