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
  private final String version;
  private final Map<String, String> environment;

  ResticTool(Path folder) throws IOException, InterruptedException {
    super(folder);
    environment =
        Map.of(
            "RESTIC_REPOSITORY", store().resolve("repository").toString(),
            "RESTIC_PASSWORD", "benchmark",
            "RESTIC_CACHE_DIR", cache().toString());
    version = command(folder, environment, "restic", "version").output().strip();
  }

  @Override
  public String name() {
    return "restic";
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    super.begin(tree);
    command(store(), environment, "restic", "init").run();
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    return PhaseCost.of(
        command(store(), environment, "restic", "--quiet", "backup", tree.toString()).run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    PhaseCost cost =
        PhaseCost.of(
            command(
                    target,
                    environment,
                    "restic",
                    "--quiet",
                    "restore",
                    "latest",
                    "--target",
                    target.toString())
                .run());
    // It restores the complete path from the root.
    return new Restoration(cost, target.resolve(Path.of("/").relativize(tree)));
  }
}
