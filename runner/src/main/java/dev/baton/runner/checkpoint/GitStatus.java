/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses the output of {@code git status --porcelain=v2 -z}; see "Porcelain Format Version 2" in
 * git's documentation.
 *
 * @param branch null when the head is detached
 * @param head a commit; null before the first
 * @param changes number of paths that differ from the head, are untracked or unmerged
 * @param files the first thousand of them
 */
record GitStatus(
    @Nullable String branch,
    @Nullable String head,
    boolean stash,
    long changes,
    List<String> files) {
  private static final int MOST_FILES = 1_000;

  /** Longer than any path; longer records are truncated. */
  private static final int MAX_RECORD = 8 << 10;

  private static final String HEAD = "# branch.oid ";
  private static final String BRANCH = "# branch.head ";
  private static final String STASH = "# stash ";

  GitStatus {
    files = List.copyOf(files);
  }

  /** Reads all of the output, regardless of its size, in bounded memory. */
  static GitStatus read(InputStream from) throws IOException {
    InputStream in = new BufferedInputStream(from, MAX_RECORD);
    String branch = null;
    String head = null;
    boolean stash = false;
    long changes = 0;
    List<String> files = new ArrayList<>();
    for (String line = next(in); line != null; line = next(in)) {
      if (line.startsWith(HEAD)) {
        head = line.endsWith("(initial)") ? null : line.substring(HEAD.length());
      } else if (line.startsWith(BRANCH)) {
        branch = line.endsWith("(detached)") ? null : line.substring(BRANCH.length());
      } else if (line.startsWith(STASH)) {
        stash = true;
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        changes++;
        if (files.size() < MOST_FILES) {
          files.add(path(line));
        }
      }
    }
    return new GitStatus(branch, head, stash, changes, files);
  }

  /** Returns the record up to the next NUL; null at the end. */
  private static @Nullable String next(InputStream in) throws IOException {
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    int c = in.read();
    if (c < 0) {
      return null;
    }
    for (; c > 0; c = in.read()) {
      if (record.size() < MAX_RECORD) {
        record.write(c);
      }
    }
    return record.toString(StandardCharsets.UTF_8);
  }

  /**
   * Changed (1), unmerged (u) and untracked (?) entries have 8, 10 and 1 fields before the path.
   */
  private static String path(String line) throws IOException {
    int fields =
        switch (line.charAt(0)) {
          case '1' -> 8;
          case 'u' -> 10;
          default -> 1;
        };
    String[] parts = line.split(" ", fields + 1);
    if (parts.length <= fields) {
      throw new IOException("git status: line without a path: '" + line + "'");
    }
    return parts[fields];
  }
}
