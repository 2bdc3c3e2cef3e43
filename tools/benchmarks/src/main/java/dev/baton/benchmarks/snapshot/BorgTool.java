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

/** borg with a local repository without encryption, otherwise with default settings. */
final class BorgTool extends CommandTool {
  private final String version;
  private final Map<String, String> environment;
  private int archives;

  BorgTool(Path folder) throws IOException, InterruptedException {
    super(folder);
    environment =
        Map.of(
            "BORG_REPO", store().resolve("repository").toString(),
            "BORG_BASE_DIR", cache().toString(),
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK", "yes");
    version = command(folder, environment, "borg", "--version").output().strip();
  }

  @Override
  public String name() {
    return "borg";
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    super.begin(tree);
    archives = 0;
    command(store(), environment, "borg", "init", "--encryption=none").run();
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    archives++;
    return PhaseCost.of(command(tree, environment, "borg", "create", "::" + archives, ".").run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    return new Restoration(
        PhaseCost.of(command(target, environment, "borg", "extract", "::" + archives).run()),
        target);
  }
}
