/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how much of the heap of Java processes is in use after a full garbage collection. */
public final class LiveHeapReader {
  // The last line of a class histogram: instances and bytes of all classes.
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

  private LiveHeapReader() {}

  /**
   * Collects the garbage of each Java process, and returns the bytes of the live objects by part.
   *
   * @param parts the part of each process, by process id; others than Java are left out
   */
  public static Map<String, Long> bytes(Map<Long, String> parts)
      throws IOException, InterruptedException {
    Map<String, Long> live = new HashMap<>();
    for (Map.Entry<Long, String> process : parts.entrySet()) {
      long pid = process.getKey();
      if (JavaProcessCommand.isJava(pid)) {
        live.merge(
            process.getValue(),
            total(JavaProcessCommand.run(pid, "GC.class_histogram")),
            Long::sum);
      }
    }
    return live;
  }

  static long total(String histogram) throws IOException {
    Matcher total = TOTAL.matcher(histogram);
    if (!total.find()) {
      throw new IOException("a class histogram has no total: " + histogram.lines().findFirst());
    }
    return Long.parseLong(total.group(1));
  }
}
