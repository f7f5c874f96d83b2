/* The list of watches. A new one: write its file, declare it here, add its counters to counters.def. */
#include "watch/watch.h"

extern const watch watch_launch, watch_execution, watch_memory, watch_shared;

const watch *const watch_all[] = {&watch_launch, &watch_execution, &watch_memory, &watch_shared, NULL};
