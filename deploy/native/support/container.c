/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/* Memory and processors of the container, the builder's library `svm_container`: the limits of cgroups are not read. */
#include <stddef.h>
#include <unistd.h>

int svm_container_initialize(int version) {
  (void)version;
  return 0;
}

int svm_container_active_processor_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

size_t svm_container_physical_memory(void) { return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE); }

#define UNKNOWN(name) \
  long name(void) { return -1; }
UNKNOWN(svm_container_cache_usage_in_bytes)
UNKNOWN(svm_container_memory_and_swap_limit_in_bytes)
UNKNOWN(svm_container_memory_limit_in_bytes)
UNKNOWN(svm_container_memory_max_usage_in_bytes)
UNKNOWN(svm_container_memory_soft_limit_in_bytes)
UNKNOWN(svm_container_memory_usage_in_bytes)
UNKNOWN(svm_container_rss_usage_in_bytes)
