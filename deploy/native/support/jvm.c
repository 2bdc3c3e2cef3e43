/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/*
 * What the JDK's libraries libjava, libnet, libnio and libzip import from the JVM and what an image calls in them really uses.
 * build-cli links it into the executable and, together with functions that abort with their name, as lib/libjvm.so.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void initialize(void) {}

int JVM_ActiveProcessorCount(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

long JVM_NanoTime(void *environment, void *type) {
  (void)environment;
  (void)type;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

long JVM_CurrentTimeMillis(void *environment, void *type) {
  (void)environment;
  (void)type;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

char *JVM_NativePath(char *path) { return path; }

void *JVM_FindLibraryEntry(void *library, const char *name) { return dlsym(library, name); }

void *JVM_RawMonitorCreate(void) {
  pthread_mutex_t *monitor = malloc(sizeof *monitor);
  if (monitor != NULL) pthread_mutex_init(monitor, NULL);
  return monitor;
}

void JVM_RawMonitorDestroy(void *monitor) {
  pthread_mutex_destroy(monitor);
  free(monitor);
}

int JVM_RawMonitorEnter(void *monitor) { return pthread_mutex_lock(monitor); }

void JVM_RawMonitorExit(void *monitor) { pthread_mutex_unlock(monitor); }

void JVM_BeforeHalt(void) {}

void JVM_Halt(int code) { _exit(code); }

int jio_vsnprintf(char *text, size_t size, const char *format, va_list values) { return vsnprintf(text, size, format, values); }

int jio_snprintf(char *text, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int result = vsnprintf(text, size, format, values);
  va_end(values);
  return result;
}

int jio_fprintf(FILE *file, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int result = vfprintf(file, format, values);
  va_end(values);
  return result;
}

int jio_vfprintf(FILE *file, const char *format, va_list values) { return vfprintf(file, format, values); }
