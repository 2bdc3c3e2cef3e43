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
 * A tool that saves states of a directory. Used by one thread. In each round, it is called for the
 * beginning, the captures, one restore, and the end.
 */
public interface SnapshotTool extends AutoCloseable {

  /** One word, in lower case. */
  String name();

  /** The version that it reports, or its setup, in one line. */
  String version();

  /** Creates an empty store for the states of this tree. */
  void begin(Path tree) throws IOException, InterruptedException;

  /** Saves the present state of the tree. */
  PhaseCost capture(Path tree) throws IOException, InterruptedException;

  /**
   * Restores the newest state.
   *
   * @param tree which was captured
   * @param target an empty folder
   */
  Restoration restore(Path tree, Path target) throws IOException, InterruptedException;

  /** Returns the size of all states of this round, in bytes of the store's files. */
  long storedBytes() throws IOException;

  /** Deletes the stored data. */
  void end() throws IOException, InterruptedException;

  /** Stops what was started for the measurement. */
  @Override
  void close() throws IOException;

  /**
   * @param tree the restored tree, in or below the target
   */
  record Restoration(PhaseCost cost, Path tree) {}
}
