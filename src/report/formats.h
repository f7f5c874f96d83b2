/* The forms that other tools read. root: paths below it are written relative to it, as code scanning wants them. */
#ifndef WG_REPORT_FORMATS_H
#define WG_REPORT_FORMATS_H

#include "report/report.h"

/* SARIF 2.1.0: findings, broken rules and kernels that did not run as results. */
bool rep_sarif(const json_t *document, const char *root, wg_text *out);
/* JUnit: a test case each for the program, every kernel, the host side, and every rule of a budget. */
bool rep_junit(const json_t *document, const char *root, wg_text *out);
/* Workflow commands (::error file=...) that GitHub shows beside the source. */
bool rep_github(const json_t *document, const char *root, wg_text *out);

#endif
