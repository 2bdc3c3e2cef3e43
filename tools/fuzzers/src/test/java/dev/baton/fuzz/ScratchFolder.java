/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder, in memory where the machine has one, for decoders that read files. */
public final class ScratchFolder {
  private static final Path ROOT = create();

  private ScratchFolder() {}

  private static Path create() {
    Path memory = Path.of("/dev/shm");
    try {
      Path root =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "baton-fuzz")
              : Files.createTempDirectory("baton-fuzz");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> clear(root, true)));
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary folder", e);
    }
  }

  /** Returns a file with the content; the next call replaces it. */
  public static Path file(String name, byte[] content) throws IOException {
    return Files.write(ROOT.resolve(name), content);
  }

  /** Returns the folder of a name, empty. */
  public static Path empty(String name) throws IOException {
    Path folder = Files.createDirectories(ROOT.resolve(name));
    clear(folder, false);
    return folder;
  }

  private static void clear(Path folder, boolean self) {
    try (Stream<Path> walk = Files.walk(folder)) {
      List<Path> deepestFirst = walk.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          boolean unused = path.toFile().setWritable(true);
        }
        if (self || !path.equals(folder)) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot clear " + folder, e);
    }
  }
}
