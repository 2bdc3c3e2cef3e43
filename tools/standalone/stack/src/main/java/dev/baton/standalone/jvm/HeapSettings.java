/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.util.List;

/**
 * Heap size of a Java program.
 *
 * @param megabytes maximum size; at least 16
 * @param use the main use of the heap
 */
public record HeapSettings(int megabytes, Use use) {
  /** Heap of a runner, wherever it is started. */
  public static final HeapSettings RUNNER = new HeapSettings(256, Use.PACKS);

  private static final int LEAST = 16;
  private static final int INITIAL = 32;

  /** The use of most of the heap when memory is scarce. */
  public enum Use {
    /** Short-lived objects. */
    REQUESTS,
    /**
     * A few large arrays. During a capture more than half of a runner's heap is live, mainly packs
     * of 16 MB: a third for the young generation does not fit then, and every collection becomes a
     * full one.
     */
    PACKS
  }

  public HeapSettings {
    if (megabytes < LEAST) {
      throw new IllegalArgumentException(
          "heap of %d MB, at least %d are needed".formatted(megabytes, LEAST));
    }
  }

  /** Megabytes with which it begins. */
  public int initial() {
    return Math.min(megabytes, INITIAL);
  }

  List<String> flags() {
    // Without a lower initial size the whole heap would be committed at once: the default, a share
    // of the machine's memory, is more than any of these heaps.
    String start = "-Xms" + initial() + "m";
    String most = "-Xmx" + megabytes + "m";
    return switch (use) {
      // A server without memory is of no use; its supervisor restarts it.
      case REQUESTS -> List.of(start, most, "-XX:+ExitOnOutOfMemoryError");
      // A runner that runs out of memory fails the step that uses it, and continues other runs. No
      // ratio is set: it would also apply to the small heap after a start, which would then collect
      // more often.
      case PACKS -> List.of(start, most, "-XX:MaxNewSize=" + megabytes / 5 + "m");
    };
  }
}
