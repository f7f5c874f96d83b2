/* What the files of this folder share. */
#ifndef WG_API_API_H
#define WG_API_API_H

#include "base/vec.h"
#include "session/session.h"
#include "warpgrind/warpgrind.h"

struct wg_function {
    eng_code *code;
    const img_function *function;
};

struct wg_launch_record {
    wg_device *device;
    json_t *json;
};

struct wg_device {
    session *ses;
    wg_vec(img_file *) files;
    wg_vec(eng_code *) codes;
    wg_vec(wg_function *) kernels;
    wg_vec(wg_launch_record *) records;
    json_t *document; /* behind the texts of wg_findings */
};

#endif
