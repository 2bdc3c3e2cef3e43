/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a file or directory.
 *
 * @param mode permission bits, 0 to 07777
 * @param seconds of the modification time, since 1970
 * @param nanos 0 to 999,999,999
 * @param owner null for the owner of the capturing process
 * @param xattrs sorted by name, at most 256, together at most 1 MiB
 */
public record FileMetadata(
    int mode, long seconds, int nanos, @Nullable FileOwner owner, List<Xattr> xattrs) {
  public static final int MAX_XATTRS = 256;

  /** Maximum total size of names and values of the extended attributes of one file, in bytes. */
  public static final int MAX_XATTR_BYTES = 1 << 20;

  public FileMetadata {
    if (mode < 0 || mode > 07777) {
      throw new IllegalArgumentException("a mode is 0 to 07777, not 0%o".formatted(mode));
    }
    requireNanos(nanos);
    xattrs = List.copyOf(xattrs);
    if (xattrs.size() > MAX_XATTRS) {
      throw new IllegalArgumentException(
          "%d extended attributes; at most %d can be kept".formatted(xattrs.size(), MAX_XATTRS));
    }
    int bytes = xattrs.stream().mapToInt(x -> x.name().length() + x.value().length()).sum();
    if (bytes > MAX_XATTR_BYTES) {
      throw new IllegalArgumentException(
          "extended attributes of %d bytes; at most %d can be kept"
              .formatted(bytes, MAX_XATTR_BYTES));
    }
    for (int i = 1; i < xattrs.size(); i++) {
      if (xattrs.get(i - 1).name().compareTo(xattrs.get(i).name()) >= 0) {
        throw new IllegalArgumentException("extended attributes must be sorted by name");
      }
    }
  }

  /** Creates metadata without owner and extended attributes. */
  public static FileMetadata of(int mode, long seconds, int nanos) {
    return new FileMetadata(mode, seconds, nanos, null, List.of());
  }

  static void requireNanos(int nanos) {
    if (nanos < 0 || nanos > 999_999_999) {
      throw new IllegalArgumentException("nanos must be 0 to 999999999, not " + nanos);
    }
  }
}
