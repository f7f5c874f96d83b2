/* Instruction counters folded by kernel, for runs that do not record them with every launch.
 * They are written after the 1st, 2nd, 4th, 8th ... launch and at the end: the latest record holds everything,
 * and a program that is killed loses little. */
#include <stdlib.h>

#include "session/inner.h"

static ses_profile *profile_of(session *ses, eng_code *code, const img_function *function) {
    for (size_t i = 0; i < ses->profiles.count; i++) {
        ses_profile *p = ses->profiles.at[i];
        if (p->code == code && p->function == function) return p;
    }
    ses_profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->code = code;
    p->function = function;
    if (!watch_record_init(&p->sum, eng_code_module(code)) || !wg_vec_push(&ses->profiles, p)) {
        watch_record_free(&p->sum);
        free(p);
        return NULL;
    }
    return p;
}

static void write_profile(session *ses, ses_profile *p) {
    p->written = p->launches;
    ses_write(ses, "profile",
              json_pack("{s:s, s:s, s:I, s:o}", "kernel", p->function->demangled, "mangled", p->function->name, "launches",
                        (json_int_t)p->launches, "instructions", ses_instructions_json(p->code, p->function, &p->sum)));
}

void ses_profile_add(session *ses, eng_code *code, const img_function *function, const watch_record *record) {
    ses_profile *p = profile_of(ses, code, function);
    if (!p) return;
    for (unsigned f = 0; f < record->n_tables; f++)
        for (int c = 0; c < WATCH_COUNTERS; c++)
            for (uint32_t i = 0; record->tables[f].values[c] && i < record->tables[f].n; i++) {
                uint64_t value, old;
                if (!watch_get_at(record, c, f, i, &value)) continue;
                if (c != WATCH_SHARED_DEGREE) watch_put_at(&p->sum, c, f, i, value);
                else if (!watch_get_at(&p->sum, c, f, i, &old)) watch_put_at(&p->sum, c, f, i, value);
                else if (value > old) watch_put_at(&p->sum, c, f, i, value - old); /* the worst of all launches */
            }
    if (record->samples && !p->sum.samples) p->sum.samples = json_incref(record->samples);
    p->launches++;
    if ((p->launches & (p->launches - 1)) == 0) write_profile(ses, p);
}

void ses_profiles_write(session *ses, bool all) {
    for (size_t i = 0; i < ses->profiles.count; i++) {
        ses_profile *p = ses->profiles.at[i];
        if (all || p->written != p->launches) write_profile(ses, p);
    }
}

void ses_profiles_forget(session *ses, const eng_code *code) {
    for (size_t i = 0; i < ses->profiles.count;) {
        ses_profile *p = ses->profiles.at[i];
        if (p->code != code) {
            i++;
            continue;
        }
        if (!ses->closed && p->written != p->launches) write_profile(ses, p);
        watch_record_free(&p->sum);
        free(p);
        ses->profiles.at[i] = ses->profiles.at[--ses->profiles.count];
    }
}
