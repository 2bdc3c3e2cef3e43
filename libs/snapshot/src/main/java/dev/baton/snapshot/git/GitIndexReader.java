/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.git;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/**
 * Reads the paths of a git index, versions 2 to 4, in repositories of SHA-1 and SHA-256. A split
 * index is read from its two files. Single use.
 */
final class GitIndexReader {
  static final int GITLINK = 0160000;
  static final int DIRECTORY = 0040000;

  private static final int SIGNATURE = 0x44495243; // DIRC
  private static final int LINK = 0x6c696e6b; // the extension of a split index
  private static final int HEADER = 12;
  private static final int STAT = 40;
  private static final int MODE_AT = 24;
  private static final int EXTENDED = 0x4000;

  private final byte[] bytes;
  private final int hash;
  private int at = HEADER;

  /**
   * @param hash length of the repository's object names in bytes: 20 or 32
   */
  GitIndexReader(byte[] bytes, int hash) {
    this.bytes = bytes;
    this.hash = hash;
  }

  /**
   * Reads all entries in their order.
   *
   * @param into receives each path, raw, and its mode
   * @return the name of the shared index in hexadecimal; empty if the index is not split
   * @throws IOException if the file is not an index, damaged, or of an unknown version
   */
  String read(BiConsumer<String, Integer> into) throws IOException {
    if (bytes.length < HEADER + hash || word(0) != SIGNATURE) {
      throw new IOException("not a git index");
    }
    int version = word(4);
    if (version < 2 || version > 4) {
      throw new IOException("a git index of version %d".formatted(version));
    }
    int count = word(8);
    try {
      entries(version, count, into);
      return shared();
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("a git index that ends early", e);
    }
  }

  private void entries(int version, int count, BiConsumer<String, Integer> into)
      throws IOException {
    String path = "";
    for (int i = 0; i < count; i++) {
      int entry = at;
      int mode = word(entry + MODE_AT);
      int flags = half(entry + STAT + hash);
      at = entry + STAT + hash + 2;
      if (version > 2 && (flags & EXTENDED) != 0) {
        at += 2;
      }
      int keep = version == 4 ? path.length() - strip() : 0;
      if (keep < 0) {
        throw new IOException("a git index whose entry %d is damaged".formatted(i));
      }
      int end = at;
      while (bytes[end] != 0) {
        end++;
      }
      String rest = new String(bytes, at, end - at, StandardCharsets.ISO_8859_1);
      path = keep == 0 ? rest : path.substring(0, keep) + rest;
      at = version == 4 ? end + 1 : entry + ((end - entry + 8) & ~7);
      if (at > bytes.length - hash) {
        throw new IOException("a git index that ends early");
      }
      // Entries that replace an entry of the shared index have an empty name.
      if (!path.isEmpty()) {
        into.accept(path, mode);
      }
    }
  }

  /** Reads how many bytes to remove from the end of the previous path. */
  private int strip() {
    int b = bytes[at++] & 0xff;
    int value = b & 0x7f;
    while ((b & 0x80) != 0) {
      b = bytes[at++] & 0xff;
      value = ((value + 1) << 7) | (b & 0x7f);
    }
    return value;
  }

  private String shared() {
    int last = bytes.length - hash;
    while (at + 8 <= last) {
      int size = word(at + 4);
      if (word(at) == LINK && size >= hash) {
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < hash; i++) {
          hex.append("%02x".formatted(bytes[at + 8 + i]));
        }
        return hex.chars().allMatch(c -> c == '0') ? "" : hex.toString();
      }
      if (size < 0 || size > last - at - 8) {
        return "";
      }
      at += 8 + size;
    }
    return "";
  }

  private int word(int offset) {
    return half(offset) << 16 | half(offset + 2);
  }

  private int half(int offset) {
    return (bytes[offset] & 0xff) << 8 | (bytes[offset + 1] & 0xff);
  }
}
