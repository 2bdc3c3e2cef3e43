/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/*
 * Functions that an executable of the native image builder imports from its library `libchelper`, which is in GraalVM's JDK but not
 * on Maven Central. Written from the names and types that the builder's classes declare with @CFunction; see docs/native.md.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/amd64cpufeatures.h"
#include "include/svm_locale.h"

extern char **environ;

char **getEnviron(void) { return environ; }

int getThreadId(void) { return (int)syscall(SYS_gettid); }

long getThreadUserTimeSlow(int thread) {
  (void)thread;
  return -1;
}

/* The zone of TZ, else that of /etc/localtime, else UTC. */
char *SVM_FindJavaTZmd(const char *home, int length) {
  (void)home;
  (void)length;
  const char *zone = getenv("TZ");
  if (zone != NULL && *zone == ':') zone++;
  if (zone != NULL && *zone != '\0' && *zone != '/') return strdup(zone);
  char path[PATH_MAX];
  ssize_t size = readlink("/etc/localtime", path, sizeof path - 1);
  if (size > 0) {
    path[size] = '\0';
    char *name = strstr(path, "zoneinfo/");
    if (name != NULL) return strdup(name + strlen("zoneinfo/"));
  }
  return strdup("UTC");
}

/* Signals: the handler only counts; a thread of the image waits for the semaphore and runs the Java handlers. */
#define SIGNALS 65
static sem_t arrived;
static int opened;
static volatile int pending[SIGNALS];

int cSunMiscSignal_open(void) {
  if (__sync_lock_test_and_set(&opened, 1)) return 1;
  return sem_init(&arrived, 0, 0);
}

int cSunMiscSignal_close(void) {
  opened = 0;
  return sem_destroy(&arrived);
}

int cSunMiscSignal_awaitSemaphore(void) { return sem_wait(&arrived); }

int cSunMiscSignal_signalSemaphore(void) { return sem_post(&arrived); }

char cSunMiscSignal_signalRangeCheck(int signal) { return signal > 0 && signal < SIGNALS; }

int cSunMiscSignal_checkPendingSignal(void) {
  for (int signal = 1; signal < SIGNALS; signal++) {
    int count = pending[signal];
    while (count > 0) {
      if (__sync_bool_compare_and_swap(&pending[signal], count, count - 1)) return signal;
      count = pending[signal];
    }
  }
  return -1;
}

static void on_signal(int signal) {
  if (cSunMiscSignal_signalRangeCheck(signal)) {
    __sync_fetch_and_add(&pending[signal], 1);
    sem_post(&arrived);
  }
}

void *cSunMiscSignal_signalHandlerFunctionPointer(void) { return (void *)on_signal; }

/* The instruction cache of amd64 is coherent. */
void codeSynchronization_clearCache(long from, long to) {
  (void)from;
  (void)to;
}

void determineCPUFeatures(CPUFeatures *found) {
  memset(found, 0, sizeof *found);
  __builtin_cpu_init();
  /* Every processor of amd64 has these. */
  found->fCX8 = found->fCMOV = found->fFXSR = found->fMMX = found->fTSC = found->fHT = 1;
#define FEATURE(field, name) found->field = __builtin_cpu_supports(name) != 0;
  FEATURE(fSSE, "sse")
  FEATURE(fSSE2, "sse2")
  FEATURE(fSSE3, "sse3")
  FEATURE(fSSSE3, "ssse3")
  FEATURE(fSSE4_1, "sse4.1")
  FEATURE(fSSE4_2, "sse4.2")
  FEATURE(fPOPCNT, "popcnt")
  FEATURE(fLZCNT, "lzcnt")
  FEATURE(fAVX, "avx")
  FEATURE(fAVX2, "avx2")
  FEATURE(fAES, "aes")
  FEATURE(fCLMUL, "pclmul")
  FEATURE(fBMI1, "bmi")
  FEATURE(fBMI2, "bmi2")
  FEATURE(fFMA, "fma")
  FEATURE(fF16C, "f16c")
  FEATURE(fADX, "adx")
  FEATURE(fSHA, "sha")
}

/* build-cli builds for the oldest amd64 (-march=compatibility), whose features need no check. */
int checkCPUFeatures(const char *expected) {
  (void)expected;
  return 0;
}

int checkCPUFeaturesOrExit(const char *expected, const char *message) {
  (void)expected;
  (void)message;
  return 0;
}

/* Baton prints English and needs only the encoding, which it checks by itself. */
static svm_locale_props_t locale = {"en", "", "US", "", "en", "", "US", ""};

int svm_initialize_locale(void) { return SVM_LOCALE_INITIALIZATION_SUCCEEDED; }

svm_locale_props_t *svm_get_locale(void) { return &locale; }

/* Variadic functions of the C library with the arguments that the image passes. */
void *mremapP(void *address, size_t old, size_t size, int flags, void *to) { return mremap(address, old, size, flags, to); }

int openSII(const char *path, int flags, int mode) { return open(path, flags, mode); }

int fprintfSD(FILE *file, const char *format, char *text, int number) { return fprintf(file, format, text, number); }

/*
 * The image calls JNI_OnLoad_NAME of libraries that are linked into it. Here they are shared libraries of the JDK, each with a
 * JNI_OnLoad of its own.
 */
#define JNI_VERSION_1_8 0x00010008
static int load(const char *library, void *vm, void *reserved) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  int (*function)(void *, void *) = handle == NULL ? NULL : (int (*)(void *, void *))dlsym(handle, "JNI_OnLoad");
  if (function != NULL) function(vm, reserved);
  return JNI_VERSION_1_8;
}

#define LIBRARY(name) \
  int JNI_OnLoad_##name(void *vm, void *reserved) { return load("lib" #name ".so", vm, reserved); }
LIBRARY(extnet)
LIBRARY(java)
LIBRARY(management)
LIBRARY(management_ext)
LIBRARY(net)
LIBRARY(nio)
LIBRARY(prefs)
LIBRARY(zip)
