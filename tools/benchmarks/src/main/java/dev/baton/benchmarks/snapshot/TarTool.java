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

/** {@code tar --zstd}: a full archive each time, independent of the one before. */
final class TarTool extends CommandTool {
  private final String version;
  private int archives;

  TarTool(Path folder) throws IOException, InterruptedException {
    super(folder);
    version = command(folder, Map.of(), "tar", "--version").output().lines().findFirst().orElse("");
  }

  @Override
  public String name() {
    return "tar";
  }

  @Override
  public String version() {
    return version + " --zstd";
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    super.begin(tree);
    archives = 0;
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    archives++;
    return PhaseCost.of(
        command(store(), Map.of(), "tar", "--zstd", "-cf", newest(), "-C", tree.toString(), ".")
            .run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    return new Restoration(
        PhaseCost.of(command(target, Map.of(), "tar", "--zstd", "-xpf", newest()).run()), target);
  }

  private String newest() {
    return store().resolve(archives + ".tar.zst").toString();
  }
}
