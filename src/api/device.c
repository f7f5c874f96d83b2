/* Devices and images of the C API. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/text.h"

const char *wg_version(void) { return "warpgrind " WG_VERSION; }

static bool add_kernels(wg_device *dev, eng_code *code) {
    const img_module *module = eng_code_module(code);
    for (size_t f = 0; f < module->n_functions; f++) {
        if (!module->functions[f].is_kernel) continue;
        wg_function *kernel = malloc(sizeof *kernel);
        if (!kernel) return false;
        *kernel = (wg_function){.code = code, .function = &module->functions[f]};
        if (!wg_vec_push(&dev->kernels, kernel)) {
            free(kernel);
            return false;
        }
    }
    return true;
}

/* Takes the file over. */
static wg_status load(wg_device *dev, img_file *file, wg_error *err) {
    if (!wg_vec_push(&dev->files, file)) {
        img_close(file);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for an image");
    }
    if (!file->n_containers) return wg_fail(err, WG_ERR_NOT_FOUND, "the file holds no code for a GPU");
    ses_offer(dev->ses, file);
    for (int c = 0; c < file->n_containers; c++) {
        eng_code *code = NULL;
        wg_status status = ses_load(dev->ses, file, c, &code, err);
        if (status != WG_OK) return status;
        if (!wg_vec_push(&dev->codes, code) || !add_kernels(dev, code))
            return wg_fail(err, WG_ERR_MEMORY, "no memory for an image's kernels");
    }
    return WG_OK;
}

static wg_status open_with(img_file *file, const wg_options *options, wg_device **out, wg_error *err) {
    static const wg_options defaults;
    const wg_options *o = options ? options : &defaults;
    ses_options so = {.gpu = o->gpu, .jobs = o->jobs, .checks = o->checks, .seed = o->seed,
                      .max_instructions = o->max_instructions, .chunk_bytes = o->chunk_bytes,
                      .group_threads = o->group_threads, .want_instructions = o->instructions};
    wg_device *dev = calloc(1, sizeof *dev);
    if (!dev) {
        img_close(file);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for a device");
    }
    wg_status status = ses_open(&so, &dev->ses, err);
    if (status == WG_OK) status = load(dev, file, err);
    else img_close(file);
    if (status != WG_OK) {
        wg_close(dev);
        return status;
    }
    *out = dev;
    return WG_OK;
}

wg_status wg_open(const char *path, const wg_options *options, wg_device **out, wg_error *err) {
    img_file *file = NULL;
    wg_status status = img_open(path, &file, err);
    return status == WG_OK ? open_with(file, options, out, err) : status;
}

wg_status wg_open_memory(const void *bytes, size_t size, const wg_options *options, wg_device **out, wg_error *err) {
    img_file *file = NULL;
    wg_status status = img_open_memory(bytes, size, &file, err);
    return status == WG_OK ? open_with(file, options, out, err) : status;
}

wg_status wg_load(wg_device *dev, const char *path, wg_error *err) {
    img_file *file = NULL;
    wg_status status = img_open(path, &file, err);
    return status == WG_OK ? load(dev, file, err) : status;
}

void wg_close(wg_device *dev) {
    if (!dev) return;
    ses_free(dev->ses);
    for (size_t i = 0; i < dev->kernels.count; i++) free(dev->kernels.at[i]);
    for (size_t i = 0; i < dev->records.count; i++) {
        json_decref(dev->records.at[i]->json);
        free(dev->records.at[i]);
    }
    for (size_t i = 0; i < dev->files.count; i++) img_close(dev->files.at[i]);
    json_decref(dev->document);
    wg_vec_free(&dev->files);
    wg_vec_free(&dev->codes);
    wg_vec_free(&dev->kernels);
    wg_vec_free(&dev->records);
    free(dev);
}

/* --- kernels and variables ------------------------------------------------------------------------------ */
static wg_status no_such_kernel(const wg_device *dev, const char *name, wg_error *err) {
    wg_text list = {0};
    for (size_t i = 0; i < dev->kernels.count && list.count < 300; i++)
        wg_text_printf(&list, "%s%s", i ? ", " : "", dev->kernels.at[i]->function->demangled);
    wg_fail(err, WG_ERR_NOT_FOUND, "there is no kernel '%s'; there is: %s", name, list.at ? list.at : "none");
    wg_text_free(&list);
    return WG_ERR_NOT_FOUND;
}

const wg_function *wg_kernel(wg_device *dev, const char *name, wg_error *err) {
    for (size_t c = 0; c < dev->codes.count; c++) {
        const img_function *function = img_find_function(eng_code_module(dev->codes.at[c]), name);
        for (size_t i = 0; function && i < dev->kernels.count; i++)
            if (dev->kernels.at[i]->function == function) return dev->kernels.at[i];
    }
    no_such_kernel(dev, name, err);
    return NULL;
}

size_t wg_parameter_size(const wg_function *function, size_t i) {
    return function && i < function->function->n_params ? function->function->params[i].size : 0;
}

const char *wg_kernel_name(const wg_device *dev, size_t i) {
    return i < dev->kernels.count ? dev->kernels.at[i]->function->demangled : NULL;
}

wg_status wg_variable(wg_device *dev, const char *name, wg_address *out, size_t *size, wg_error *err) {
    for (size_t c = 0; c < dev->codes.count; c++) {
        const img_module *module = eng_code_module(dev->codes.at[c]);
        for (size_t v = 0; v < module->n_variables; v++) {
            const img_variable *variable = &module->variables[v];
            if (variable->space != IMG_GLOBAL || (strcmp(variable->name, name) != 0 && strcmp(variable->demangled, name) != 0)) continue;
            *out = eng_variable_address(dev->codes.at[c], variable);
            if (size) *size = variable->size;
            return WG_OK;
        }
    }
    return wg_fail(err, WG_ERR_NOT_FOUND, "there is no __device__ variable '%s'", name);
}
