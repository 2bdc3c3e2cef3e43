/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.process.WorkspaceMount;
import java.nio.file.Path;

/**
 * Locates a run's files on this host.
 *
 * @param path the run's own folder
 */
public record RunFolder(Path path) {

  /**
   * @param data the runner's data folder
   */
  public static RunFolder of(Path data, String run) {
    return new RunFolder(data.resolve("runs").resolve(run));
  }

  /** Returns the folder of the main line's files. */
  public Path workspace() {
    return path.resolve("workspace");
  }

  /** Returns the folder of a branch's copy of the workspace. */
  Path branch(String branch) {
    return path.resolve("branches").resolve(fileName(branch));
  }

  /** Returns the folder of an agent step: its home, and a copy of what checkpoints have of it. */
  Path agent(String step) {
    return path.resolve(WorkspaceMount.AGENTS).resolve(fileName(step));
  }

  /** Returns a step's or branch's path as one file name. */
  static String fileName(String path) {
    return path.replace('/', '~');
  }
}
