/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A tool that keeps states of a directory. Used by one thread. Of each round it is told the
 * beginning, then captures, then one restore, then the end.
 */
public interface SnapshotTool extends AutoCloseable {

  /** One word, in lower case. */
  String name();

  /** What it says about itself, or how it is set up, in one line. */
  String version();

  /** Makes an empty store for the states of this tree. */
  void begin(Path tree) throws IOException, InterruptedException;

  /** Keeps the tree's state as it is now. */
  PhaseCost capture(Path tree) throws IOException, InterruptedException;

  /**
   * Gets the newest state back.
   *
   * @param tree which was captured
   * @param target an empty folder
   */
  Restoration restore(Path tree, Path target) throws IOException, InterruptedException;

  /** What all states of this round take, in bytes of the store's files. */
  long storedBytes() throws IOException;

  /** Deletes what it has stored. */
  void end() throws IOException, InterruptedException;

  /** Stops what was started for the measurement. */
  @Override
  void close() throws IOException;

  /**
   * @param tree where the restored tree is, somewhere below the target
   */
  record Restoration(PhaseCost cost, Path tree) {}
}
