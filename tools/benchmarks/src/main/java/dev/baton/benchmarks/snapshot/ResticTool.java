/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** restic with a local repository and default settings. */
final class ResticTool extends CommandTool {

  ResticTool(Path folder) throws IOException, InterruptedException {
    super(
        folder,
        "restic",
        Map.of(
            "RESTIC_REPOSITORY", repository(folder),
            "RESTIC_PASSWORD", "benchmark",
            "RESTIC_CACHE_DIR", cache(folder).toString()),
        "version");
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    super.begin(tree);
    command(store(), "init").run();
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    return PhaseCost.of(command(store(), "--quiet", "backup", tree.toString()).run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    PhaseCost cost =
        PhaseCost.of(
            command(target, "--quiet", "restore", "latest", "--target", target.toString()).run());

    // It restores the complete path from the root.
    return new Restoration(cost, target.resolve(Path.of("/").relativize(tree)));
  }
}
