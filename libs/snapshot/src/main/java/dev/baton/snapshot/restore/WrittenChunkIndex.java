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
 * Where each chunk is written first. A chunk that is in many files lies in one block, and is wanted
 * again when that block has long left the memory: then it is copied from the file that has it.
 *
 * <p>Some 50 bytes for a file, its name included. One thread.
 */
final class WrittenChunkIndex {
  private static final int NONE = 0;

  /** By the chunk's number in the table: its file's number, from 1 on. */
  private final int[] files;

  /** By the chunk's number in the table: bytes into the file. */
  private final long[] positions;

  private final List<String> directories = new ArrayList<>();

  /** By the file's number. */
  private int[] directoryOf = new int[64];

  /**
   * By the file's number: where its name begins in {@link #names}; it ends where the next begins.
   */
  private int[] nameOf = new int[64];

  private byte[] names = new byte[1024];
  private int count;
  private @Nullable PendingDirectory inDirectory;
  private @Nullable String lastFile;

  /**
   * @param chunks how many the table has
   */
  WrittenChunkIndex(int chunks) {
    files = new int[chunks];
    positions = new long[chunks];
  }

  /** Where the chunk is; null if it has no place yet. */
  WriteTask.@Nullable InFile find(int chunk) {
    int file = files[chunk];
    if (file == NONE) {
      return null;
    }
    int from = nameOf[file];
    String name = new String(names, from, nameOf[file + 1] - from, StandardCharsets.ISO_8859_1);
    return new WriteTask.InFile(directories.get(directoryOf[file]), name, positions[chunk]);
  }

  /** The chunk is going to be written there, unless it has a place already. */
  void put(int chunk, PendingDirectory directory, String name, long position) {
    if (files[chunk] == NONE) {
      files[chunk] = number(directory, name);
      positions[chunk] = position;
    }
  }

  /** A file's chunks come one after the other, and so do a directory's files. */
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
