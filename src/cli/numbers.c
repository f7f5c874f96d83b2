/* Numbers that options take; a wrong one ends the command with a message. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

unsigned long long cli_number(struct argp_state *state, const char *what, const char *text, unsigned long long least, unsigned long long most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value < least || value > most)
        argp_error(state, "%s is a number from %llu to %llu, not '%s'", what, least, most, text);
    return value;
}

double cli_seconds(struct argp_state *state, const char *what, const char *text, bool may_be_none) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || (value == 0 && !may_be_none) || value > 1e9) argp_error(state, "%s is a number of seconds, not '%s'", what, text);
    return value;
}
