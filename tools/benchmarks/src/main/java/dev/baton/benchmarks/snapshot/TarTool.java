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
  private int archives;

  TarTool(Path folder) throws IOException, InterruptedException {
    super(folder, "tar", Map.of(), "--version");
  }

  @Override
  public String version() {
    return super.version() + " --zstd";
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
        command(store(), "--zstd", "-cf", newest(), "-C", tree.toString(), ".").run());
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    return new Restoration(PhaseCost.of(command(target, "--zstd", "-xpf", newest()).run()), target);
  }

  private String newest() {
    return store().resolve(archives + ".tar.zst").toString();
  }
}
