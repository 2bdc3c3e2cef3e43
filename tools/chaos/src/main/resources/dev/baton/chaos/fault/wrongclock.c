/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

/*
 * Preloaded, it tells a program a wall clock that is wrong by as many milliseconds as the file .clock says in the folder
 * that the program works in. It looks at the file five times a second. The monotonic clock, and all waiting, stay as they
 * are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LOOK_EVERY_NS 200000000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL

typedef int (*gettime)(clockid_t, struct timespec *);

static gettime real_gettime;
static long long offset_ns;
static long long looked_at_ns = -LOOK_EVERY_NS;

static long long nanos(const struct timespec *time) {
  return time->tv_sec * NS_PER_S + time->tv_nsec;
}

static gettime real(void) {
  gettime found = __atomic_load_n(&real_gettime, __ATOMIC_ACQUIRE);
  if (found == NULL) {
    found = (gettime)dlsym(RTLD_NEXT, "clock_gettime");
    __atomic_store_n(&real_gettime, found, __ATOMIC_RELEASE);
  }
  return found;
}

static void look(void) {
  char text[32];
  int file = open(".clock", O_RDONLY | O_CLOEXEC);
  ssize_t length = 0;
  if (file >= 0) {
    length = read(file, text, sizeof text - 1);
    close(file);
  }
  text[length < 0 ? 0 : length] = 0;
  __atomic_store_n(&offset_ns, atoll(text) * NS_PER_MS, __ATOMIC_RELEASE);
}

static long long offset(void) {
  struct timespec now;
  real()(CLOCK_MONOTONIC, &now);
  long long last = __atomic_load_n(&looked_at_ns, __ATOMIC_ACQUIRE);
  if (nanos(&now) - last >= LOOK_EVERY_NS &&
      __atomic_compare_exchange_n(&looked_at_ns, &last, nanos(&now), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    look();
  }
  return __atomic_load_n(&offset_ns, __ATOMIC_ACQUIRE);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real()(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    long long wrong = nanos(time) + offset();
    time->tv_sec = wrong / NS_PER_S;
    time->tv_nsec = wrong % NS_PER_S;
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds != NULL) {
    *seconds = now.tv_sec;
  }
  return now.tv_sec;
}
