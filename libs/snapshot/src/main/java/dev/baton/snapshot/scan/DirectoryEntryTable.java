/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.StatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores the entries of one directory in columns, about a hundred bytes each, because a million
 * files must fit into memory. Sorted by name.
 */
final class DirectoryEntryTable {
  /** The content was read. */
  static final byte KNOWN = 1;

  /**
   * The content was read long enough after the last change, so the next change will change the
   * times.
   */
  static final byte TRUSTED = 2;

  /** The file exists, but could not be read. */
  static final byte SKIPPED = 4;

  static final byte CACHED = KNOWN | TRUSTED;

  private static final FileKind[] KINDS = FileKind.values();

  final int count;
  private final byte[] names;
  private final int[] ends;
  private final byte[] kinds;
  final byte[] flags;
  final int[] modes;
  final long[] sizes;
  final long[] mtimes;
  final int[] mtimeNanos;
  private final long[] ctimes;
  private final int[] ctimeNanos;
  private final long[] inodes;

  /** Four longs per entry. */
  final long[] hashes;

  private final @Nullable ExtraAttributes[] extras;

  DirectoryEntryTable(List<String> sorted) {
    count = sorted.size();
    ends = new int[count];
    int length = 0;
    for (int i = 0; i < count; i++) {
      length += sorted.get(i).length();
      ends[i] = length;
    }
    names = new byte[length];
    int at = 0;
    for (String name : sorted) {
      byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
      System.arraycopy(bytes, 0, names, at, bytes.length);
      at += bytes.length;
    }
    kinds = new byte[count];
    flags = new byte[count];
    modes = new int[count];
    sizes = new long[count];
    mtimes = new long[count];
    mtimeNanos = new int[count];
    ctimes = new long[count];
    ctimeNanos = new int[count];
    inodes = new long[count];
    hashes = new long[4 * count];
    extras = new ExtraAttributes[count];
  }

  /** Copies the table, without the entries marked as gone. */
  DirectoryEntryTable(DirectoryEntryTable from, boolean[] gone) {
    this(from.namesBut(gone));
    int to = 0;
    for (int i = 0; i < from.count; i++) {
      if (!gone[i]) {
        copy(from, i, to++);
      }
    }
  }

  private List<String> namesBut(boolean[] gone) {
    return java.util.stream.IntStream.range(0, count)
        .filter(i -> !gone[i])
        .mapToObj(this::name)
        .toList();
  }

  /** Copies everything except the name. */
  void copy(DirectoryEntryTable from, int i, int to) {
    kinds[to] = from.kinds[i];
    flags[to] = from.flags[i];
    modes[to] = from.modes[i];
    sizes[to] = from.sizes[i];
    mtimes[to] = from.mtimes[i];
    mtimeNanos[to] = from.mtimeNanos[i];
    ctimes[to] = from.ctimes[i];
    ctimeNanos[to] = from.ctimeNanos[i];
    inodes[to] = from.inodes[i];
    System.arraycopy(from.hashes, 4 * i, hashes, 4 * to, 4);
    extras[to] = from.extras[i];
  }

  String name(int i) {
    int start = start(i);
    return new String(names, start, ends[i] - start, StandardCharsets.ISO_8859_1);
  }

  /** Returns the index of the name, or a negative number. */
  int find(String name) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = name(middle).compareTo(name);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  byte[] names() {
    return names;
  }

  int start(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  int end(int i) {
    return ends[i];
  }

  FileKind kind(int i) {
    return KINDS[kinds[i]];
  }

  void kind(int i, FileKind kind) {
    kinds[i] = (byte) kind.ordinal();
  }

  ExtraAttributes extra(int i) {
    ExtraAttributes extra = extras[i];
    return extra == null ? ExtraAttributes.NONE : extra;
  }

  void extra(int i, ExtraAttributes extra) {
    extras[i] = extra.orNull();
  }

  boolean is(int i, byte flag) {
    return (flags[i] & flag) == flag;
  }

  long inode(int i) {
    return inodes[i];
  }

  /** Returns whether the attributes are the same as at the last scan. */
  boolean matches(int i, StatBuffer stat) {
    return ctimes[i] == stat.ctimeSeconds
        && ctimeNanos[i] == stat.ctimeNanos
        && inodes[i] == stat.inode
        && sizes[i] == stat.size
        && mtimes[i] == stat.mtimeSeconds
        && mtimeNanos[i] == stat.mtimeNanos
        && modes[i] == stat.permissions()
        && kind(i) == stat.kind();
  }

  /** Like {@link TimestampTrustPolicy#before(StatBuffer, long)}. */
  boolean settled(int i, long began) {
    return TimestampTrustPolicy.before(ctimes[i], ctimeNanos[i], began);
  }

  void set(int i, StatBuffer stat) {
    kind(i, stat.kind());
    modes[i] = stat.permissions();
    sizes[i] = stat.size;
    mtimes[i] = stat.mtimeSeconds;
    mtimeNanos[i] = stat.mtimeNanos;
    ctimes[i] = stat.ctimeSeconds;
    ctimeNanos[i] = stat.ctimeNanos;
    inodes[i] = stat.inode;
  }
}
