/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** Decides how many idle runners a stack keeps: each takes some 100 MB of memory. */
final class WarmRunnerPolicy {
  static final String VARIABLE = "BATON_LAUNCHER_WARM_SIZE";
  private static final long GIB = 1L << 30;
  private static final long ONE_FROM = 6 * GIB;
  private static final long TWO_FROM = 16 * GIB;

  private WarmRunnerPolicy() {}

  /**
   * Returns the number set in the environment, or else none for a compact stack, and for others one
   * that suits this machine's memory.
   */
  static String wanted(Map<String, String> environment, boolean compact) {
    String said = environment.getOrDefault(VARIABLE, "");
    if (!said.isBlank()) {
      return said;
    }
    return compact ? "0" : Integer.toString(fitting(memory()));
  }

  /**
   * @param memory of the machine, or of the container, in bytes
   */
  static int fitting(long memory) {
    if (memory >= TWO_FROM) {
      return 2;
    }
    return memory >= ONE_FROM ? 1 : 0;
  }

  private static long memory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }
}
