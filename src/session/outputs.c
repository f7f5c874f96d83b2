/* What a program takes from the device, as hashes, so that runs under different schedules can be compared. */
#include "session/inner.h"

enum { MOST = 100000 /* are recorded one by one; what comes after them, as one */, FRAMES = 24 };

static void write_output(session *ses, uint64_t bytes, uint64_t hash, json_t *more) {
    json_t *out = more ? more : json_object();
    json_object_set_new(out, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(out, "hash", ses_hex(hash));
    ses_write(ses, "output", out);
}

void ses_outputs_copied(session *ses, const eng_allocation *a, uint64_t at, uint64_t size) {
    void *frames[FRAMES];
    const void *bytes = eng_memory_host(eng_device_memory(ses->device), a->address + at);
    uint64_t hash = bytes ? wg_hash_bytes(bytes, size) : 0;
    if (ses->outputs++ >= MOST) {
        ses->outputs_rest = wg_hash_u64(ses->outputs_rest ^ hash) + size;
        return;
    }
    unsigned n = ses->host_stack ? ses->host_stack(frames, FRAMES) : 0;
    json_t *out = json_pack("{s:I, s:I}", "allocation", (json_int_t)a->id, "from", (json_int_t)at);
    if (n) json_object_set_new(out, "stack", ses_stack_json(frames, n));
    write_output(ses, size, hash, out);
}

void ses_outputs_end(session *ses) {
    if (ses->outputs > MOST) write_output(ses, 0, ses->outputs_rest, NULL);
}
