/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/* Methods of the builder's progress reporter: its library `reporterchelper` is in GraalVM's JDK. */
#include <jni.h>
#include <sys/resource.h>

JNIEXPORT jlong JNICALL Java_com_oracle_svm_hosted_ProgressReporterCHelper_getPeakRSS0(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (jlong)usage.ru_maxrss * 1024;
}

JNIEXPORT jint JNICALL Java_com_oracle_svm_hosted_ProgressReporterCHelper_getTerminalWindowColumns0(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return 120;
}
