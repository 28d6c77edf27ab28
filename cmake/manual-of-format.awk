# format/FORMAT.md as a manual page of scdoc: one text, two forms.  Knows what
# that file uses of Markdown: headings, paragraphs, lists, tables, code.

# Bold, italics and code as scdoc has them; what else means something there is
# escaped.
function inline(s,    out, i, c, code)
{
    out = ""
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "`") {
            code = !code
            out = out "*"
        } else if (!code && substr(s, i, 2) == "**") {
            out = out "*"
            i++
        } else if (!code && c == "*") {
            out = out "_"
        } else if (index("_*\\", c)) {
            out = out "\\" c
        } else {
            out = out c
        }
    }
    return out
}

function end_code()
{
    if (in_code)
        print "```\n"
    in_code = 0
}

function row(line, head,    n, cells, i, text)
{
    n = split(substr(line, 2, length(line) - 2), cells, "|")
    for (i = 1; i <= n; i++) {
        text = cells[i]
        gsub(/^ +| +$/, "", text)
        text = inline(text)
        if (head && text != "")
            text = "*" text "*"
        print (i == 1 ? "|" : ":") (head ? align[i] : " ") " " text
    }
}

BEGIN {
    print "plog(5)\n\n# NAME\n"
    print "plog - the log format of perflog, byte by byte"
}

/^# / { print "\n# DESCRIPTION"; next }

/^\|/ {
    if (!in_table) { # the names of columns wait for what aligns them
        head = $0
        in_table = 1
        next
    }
    if ($0 ~ /^\|[-: |]+$/ && head != "") {
        n = split(substr($0, 2, length($0) - 2), marks, "|")
        for (i = 1; i <= n; i++)
            align[i] = marks[i] ~ /: *$/ ? "]" : i == n ? "<" : "["
        row(head, 1)
        head = ""
        next
    }
    row($0, 0)
    next
}

{ in_table = 0 }

/^    / {
    if (!in_code)
        print "```"
    in_code = 1
    print substr($0, 5)
    next
}

/^$/ {
    if (in_code)
        end_code()
    else
        print ""
    next
}

{ end_code() }

/^## / {
    sub(/^## /, "")
    print "# " toupper($0)
    next
}

/^### / {
    sub(/^### /, "")
    print "## " $0
    next
}

/^[0-9]+\. / {
    sub(/^[0-9]+\. /, "")
    print ". " inline($0)
    next
}

/^- / { print "- " inline(substr($0, 3)); next }

/^  +/ {
    sub(/^ +/, "")
    print "  " inline($0)
    next
}

{ print inline($0) }

END { end_code(); print "\n# SEE ALSO\n\n*perflog*(1), *perflog-verify*(1), *perflog-dump*(1)" }
