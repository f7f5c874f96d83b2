/* Workflow commands: GitHub shows them beside the lines they name. */
#include <string.h>

#include "report/fold.h"
#include "report/formats.h"
#include "report/problems.h"

/* A value of a command may hold no comma and no colon, its message may. */
static void add_escaped(wg_text *out, const char *text, bool is_value) {
    for (; *text; text++) {
        bool special = strchr("%\r\n", *text) || (is_value && strchr(":,", *text));
        wg_text_printf(out, special ? "%%%02X" : "%c", (unsigned char)*text);
    }
}

bool rep_github(const json_t *document, const char *root, wg_text *out) {
    static const char *const commands[] = {"notice", "warning", "error"};
    rep_problems problems;
    bool ok = rep_problems_of(document, root, &problems);
    for (size_t i = 0; ok && i < problems.list.count; i++) {
        const rep_problem *p = &problems.list.at[i];
        wg_text_printf(out, "::%s ", commands[p->level]);
        if (p->place.file) {
            wg_text_add(out, "file=");
            add_escaped(out, p->place.file, true);
            if (p->place.line > 0) wg_text_printf(out, ",line=%lld", (long long)p->place.line);
            wg_text_add(out, ",");
        }
        wg_text_add(out, "title=warpgrind%3A ");
        add_escaped(out, p->id, true);
        wg_text_add(out, "::");
        add_escaped(out, p->message, false);
        wg_text_add(out, "\n");
    }
    rep_problems_free(&problems);
    return ok && !out->failed;
}
