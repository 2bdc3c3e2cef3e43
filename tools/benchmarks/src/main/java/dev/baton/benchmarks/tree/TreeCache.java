/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Keeps generated trees between measurements: generating one takes a minute. */
public final class TreeCache {
  private TreeCache() {}

  /**
   * Returns the tree of that shape, generated if missing. The caller must not change it.
   *
   * @param folder where such trees are kept
   * @param progress receives one line per event
   */
  public static Path get(Path folder, TreeShape shape, Consumer<String> progress)
      throws IOException, InterruptedException {
    Path tree = folder.resolve(shape.name());
    if (Files.isDirectory(tree)) {
      return tree;
    }
    Files.createDirectories(folder);
    progress.accept("generating a tree of " + shape.files() + " files in " + tree);
    // Only a complete tree is renamed to its final name.
    Path part = Files.createTempDirectory(folder, "part-");
    Path log = Files.createTempFile("baton-benchmark", ".log");
    try {
      Path made = Files.createDirectory(part.resolve("tree"));
      TreeGenerator.write(shape, made, log, progress);
      Files.move(made, tree);
    } finally {
      DirectoryTreeDeleter.delete(part);
      Files.deleteIfExists(log);
    }
    return tree;
  }
}
