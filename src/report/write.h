/* Small parts of the text report. */
#ifndef WG_REPORT_WRITE_H
#define WG_REPORT_WRITE_H

#include "report/fold.h"
#include "report/report.h"

typedef enum rep_ink { REP_PLAIN, REP_BOLD, REP_DIM, REP_RED, REP_YELLOW, REP_GREEN } rep_ink;
void rep_ink_set(wg_text *out, const rep_style *style, rep_ink ink);

/* "1,000,192" into a buffer of the caller's. */
typedef struct rep_number { char at[40]; } rep_number;
rep_number rep_whole(double value);
rep_number rep_counted(double value, const char *what); /* "1 request", "2,000 requests" */
rep_number rep_bytes(double value);   /* "1,024 B", "64 MiB" */
rep_number rep_per(double above, double below, const char *format); /* "-" when below is 0 */
void rep_place_of_stack(const json_t *stack, char *text, size_t size);
const char *rep_base_name(const char *path);

void rep_write_kernels(const json_t *document, const rep_fold *fold, const rep_style *style, wg_text *out);
void rep_write_lines(const rep_kernel *kernel, const rep_style *style, wg_text *out);
void rep_write_memory(const json_t *document, const rep_style *style, wg_text *out);
void rep_write_findings(const json_t *document, const rep_style *style, wg_text *out);

#endif
