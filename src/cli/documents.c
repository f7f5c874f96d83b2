/* Run documents from files, for the subcommands that read them. */
#include <string.h>

#include "cli/cli.h"

json_t *cli_document(const char *path, wg_error *err) {
    json_error_t why;
    json_t *document = strcmp(path, "-") == 0 ? json_loadf(stdin, 0, &why) : json_load_file(path, 0, &why);
    if (!document) {
        wg_fail(err, WG_ERR_FORMAT, "%s:%d: %s", path, why.line, why.text);
        return NULL;
    }
    if (json_integer_value(json_object_get(document, "schema")) == 1 && json_is_array(json_object_get(document, "launches"))) return document;
    wg_fail(err, WG_ERR_FORMAT, "%s is no run document of schema 1 (warpgrind --json writes one)", path);
    json_decref(document);
    return NULL;
}
