/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import java.nio.file.Path;

/**
 * Translates working folders: those in the workspace are kept relative to it, since a resumed
 * workspace can have another path.
 *
 * @param workspace where the runner has the files
 * @param seen where processes of the step see them
 */
public record BackgroundFolder(Path workspace, Path seen) {
  /** Returns a folder as a checkpoint keeps it. */
  String kept(Path folder) {
    for (Path root : new Path[] {seen, workspace}) {
      if (folder.startsWith(root)) {
        String relative = root.relativize(folder).toString();
        return relative.isEmpty() ? "." : relative;
      }
    }
    return folder.toString();
  }

  /** Returns where a process of this step finds a kept folder. */
  Path found(String kept) {
    return kept.equals(".") ? seen : seen.resolve(kept).normalize();
  }
}
