/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.StateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives a session in an agent's home another id: replaces it in the text of the agent's files and
 * in their names. For agents whose sessions are text files that contain their UUID.
 */
public final class SessionRenamer {
  /** Largest file that is rewritten. */
  private static final long MOST_BYTES = 1L << 30;

  private SessionRenamer() {}

  /**
   * Renames a session. Repeating it has no effect.
   *
   * @param state the files below the home that may name the session
   * @param from its id
   * @param to the new id, of the same length
   * @throws IOException when a file cannot be read or written, or is larger than 1 GiB
   */
  public static void rename(Path home, StateFiles state, String from, String to)
      throws IOException {
    if (from.isEmpty() || from.length() != to.length()) {
      throw new IOException(
          "'%s' is not the id of a session of %d characters".formatted(from, to.length()));
    }
    if (!Files.isDirectory(home)) {
      return;
    }
    List<Path> files;
    try (Stream<Path> all = Files.walk(home)) {
      // The deepest first: a folder is renamed after what is in it.
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      if (Files.isRegularFile(file) && state.contains(home.relativize(file))) {
        replace(file, from, to);
      }
      String name = String.valueOf(file.getFileName());
      if (!file.equals(home) && name.contains(from)) {
        Files.move(file, file.resolveSibling(name.replace(from, to)));
      }
    }
  }

  private static void replace(Path file, String from, String to) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new IOException(file.getFileName() + " is larger than " + MOST_BYTES + " bytes");
    }
    // Any bytes survive this charset: ids are ASCII, and files may be cut off within a character.
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    if (text.contains(from)) {
      Path part = file.resolveSibling(file.getFileName() + ".part");
      Files.writeString(part, text.replace(from, to), StandardCharsets.ISO_8859_1);
      Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(file));
      Files.move(
          part,
          file,
          java.nio.file.StandardCopyOption.ATOMIC_MOVE,
          java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
