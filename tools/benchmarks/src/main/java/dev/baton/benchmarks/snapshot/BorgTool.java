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
  private int archives;

  BorgTool(Path folder) throws IOException, InterruptedException {
    super(
        folder,
        "borg",
        Map.of(
            "BORG_REPO", repository(folder),
            "BORG_BASE_DIR", cache(folder).toString(),
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK", "yes"),
        "--version");
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    super.begin(tree);
    archives = 0;
    command(store(), "init", "--encryption=none").run();
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    archives++;
    return PhaseCost.of(command(tree, "create", "::" + archives, ".").run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    return new Restoration(PhaseCost.of(command(target, "extract", "::" + archives).run()), target);
  }
}
