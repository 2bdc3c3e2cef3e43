/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.util.List;

/**
 * How much memory a Java program has for its objects.
 *
 * @param megabytes at most; at least 16
 * @param use what it is for
 */
public record HeapSettings(int megabytes, Use use) {
  /** A runner's, wherever one is started. */
  public static final HeapSettings RUNNER = new HeapSettings(256, Use.PACKS);

  /** What most of the memory goes to when there is little left. */
  public enum Use {
    /** To objects that are soon forgotten. */
    REQUESTS,
    /**
     * To a few large arrays. During a capture half of a runner's heap and more lives on, packs of
     * 16 MB before all: a young generation of a third finds no room there, and every collection is
     * a full one.
     */
    PACKS
  }

  public HeapSettings {
    if (megabytes < 16) {
      throw new IllegalArgumentException("heap of " + megabytes + " MB, at least 16 are needed");
    }
  }

  List<String> flags() {
    // Without a lower start the whole heap would be committed at once: a share of the machine's
    // memory is more than any of these heaps.
    String start = "-Xms" + Math.min(megabytes, 32) + "m";
    String most = "-Xmx" + megabytes + "m";
    return switch (use) {
      // A server that has run out of memory is of no use; its supervisor starts a fresh one.
      case REQUESTS -> List.of(start, most, "-XX:+ExitOnOutOfMemoryError");
      // A runner that runs out of memory fails the step that takes it, and goes on with other runs.
      // No ratio: it would hold for the little heap of a start, too, and that collects more often.
      case PACKS -> List.of(start, most, "-XX:MaxNewSize=" + megabytes / 5 + "m");
    };
  }
}
