/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Locates the first file that contains each chunk. If a chunk occurs in many files and its block
 * has been evicted, it is copied from that file.
 *
 * <p>About 50 bytes per file, including its name. One thread.
 */
final class WrittenChunkIndex {
  private static final int NONE = 0;

  /** Number of the file, from 1, indexed by the chunk's number in the table. */
  private final int[] files;

  /** Offset in the file in bytes, indexed by the chunk's number in the table. */
  private final long[] positions;

  private final List<String> directories = new ArrayList<>();

  /** Indexed by the file's number. */
  private int[] directoryOf = new int[64];

  /**
   * Start of the name in {@link #names}, indexed by the file's number; a name ends where the next
   * begins.
   */
  private int[] nameOf = new int[64];

  private byte[] names = new byte[1024];
  private int count;
  private @Nullable PendingDirectory inDirectory;
  private @Nullable String lastFile;

  /**
   * @param chunks number of chunks in the table
   */
  WrittenChunkIndex(int chunks) {
    files = new int[chunks];
    positions = new long[chunks];
  }

  /** Returns the location of the chunk; null if it has none yet. */
  WriteTask.@Nullable InFile find(int chunk) {
    int file = files[chunk];
    if (file == NONE) {
      return null;
    }
    int from = nameOf[file];
    String name = new String(names, from, nameOf[file + 1] - from, StandardCharsets.ISO_8859_1);
    return new WriteTask.InFile(directories.get(directoryOf[file]), name, positions[chunk]);
  }

  /** Sets the location of the chunk, unless it has one. */
  void put(int chunk, PendingDirectory directory, String name, long position) {
    if (files[chunk] == NONE) {
      files[chunk] = number(directory, name);
      positions[chunk] = position;
    }
  }

  /**
   * Returns the file's number; the chunks of a file are added together, and so are the files of a
   * directory.
   */
  private int number(PendingDirectory directory, String name) {
    if (directory == inDirectory && name.equals(lastFile)) {
      return count;
    }
    if (directory != inDirectory) {
      directories.add(directory.path());
      inDirectory = directory;
    }
    lastFile = name;
    int from = nameOf[count + 1];
    count++;
    if (count + 1 >= nameOf.length) {
      nameOf = Arrays.copyOf(nameOf, nameOf.length * 2);
      directoryOf = Arrays.copyOf(directoryOf, directoryOf.length * 2);
    }
    byte[] raw = name.getBytes(StandardCharsets.ISO_8859_1);
    if (from + raw.length > names.length) {
      names = Arrays.copyOf(names, Math.max(names.length * 2, from + raw.length));
    }
    System.arraycopy(raw, 0, names, from, raw.length);
    directoryOf[count] = directories.size() - 1;
    nameOf[count] = from;
    nameOf[count + 1] = from + raw.length;
    return count;
  }
}
