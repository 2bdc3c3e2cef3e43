/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.util.List;

/** When a program's code is compiled for its top speed, which costs processor time. */
public enum Compilation {
  /** As the JVM thinks best: for programs that run for long. */
  USUAL(List.of()),
  /**
   * Ten times later, and not for what an earlier run happened to use much: for programs whose start
   * somebody waits for. On two busy cores a start then takes a quarter less time. What is really
   * hot, such as digests of files, is compiled in the first fraction of a second of its work.
   */
  LATE(
      List.of(
          "-XX:Tier4InvocationThreshold=50000",
          "-XX:Tier4MinInvocationThreshold=6000",
          "-XX:Tier4CompileThreshold=150000",
          "-XX:Tier4BackEdgeThreshold=400000",
          // The last one is a diagnostic option, which a later JDK may not know.
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-AOTReplayTraining"));

  private final List<String> flags;

  Compilation(List<String> flags) {
    this.flags = flags;
  }

  List<String> flags() {
    return flags;
  }
}
