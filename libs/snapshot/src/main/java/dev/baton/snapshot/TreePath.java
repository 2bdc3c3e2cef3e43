/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.posix.RawName;
import java.nio.charset.StandardCharsets;

/**
 * A path inside a tree, relative to its root, as the file system's own bytes: each char of {@code
 * raw} is one byte (0-255), components are joined by {@code /}, the root is the empty string.
 *
 * <p>Names on Linux are bytes, not text. Keeping the bytes preserves names that are not UTF-8, and
 * gives the same order (unsigned, byte by byte) on every machine and in every locale.
 *
 * @param raw the bytes, one per char
 * @throws IllegalArgumentException if a char is above 255 or is NUL, or a component is empty,
 *     {@code .}, {@code ..} or longer than 255 bytes
 */
public record TreePath(String raw) implements Comparable<TreePath> {
  public static final TreePath ROOT = new TreePath("");
  private static final int MAX_NAME = 255;

  public TreePath {
    if (!raw.isEmpty()) {
      check(raw);
    }
  }

  /** Creates a path from text, encoded as UTF-8. */
  public static TreePath of(String text) {
    return new TreePath(RawName.of(text));
  }

  private static void check(String raw) {
    int start = 0;
    for (int i = 0; i <= raw.length(); i++) {
      if (i == raw.length() || raw.charAt(i) == '/') {
        checkName(raw, start, i);
        start = i + 1;
      } else if (raw.charAt(i) > 255 || raw.charAt(i) == 0) {
        throw new IllegalArgumentException(
            "not a byte of a file name at " + i + " in " + display(raw));
      }
    }
  }

  private static void checkName(String raw, int start, int end) {
    int length = end - start;
    boolean dots = length <= 2 && raw.substring(start, end).equals("..".substring(0, length));
    if (dots || length > MAX_NAME) {
      throw new IllegalArgumentException(
          "bad name '%s' in path '%s': a name is 1 to %d bytes and neither '.' nor '..'"
              .formatted(display(raw.substring(start, end)), display(raw), MAX_NAME));
    }
  }

  public TreePath child(String rawName) {
    return new TreePath(raw.isEmpty() ? rawName : raw + "/" + rawName);
  }

  public boolean isRoot() {
    return raw.isEmpty();
  }

  /** Returns the last component, raw; empty for the root. */
  public String name() {
    return raw.substring(raw.lastIndexOf('/') + 1);
  }

  /** Returns the parent directory; the root is its own parent. */
  public TreePath parent() {
    int slash = raw.lastIndexOf('/');
    return slash < 0 ? ROOT : new TreePath(raw.substring(0, slash));
  }

  /**
   * Decodes the path as UTF-8 for display, with replacement characters for invalid bytes; the root
   * is {@code .}.
   */
  public String display() {
    return raw.isEmpty() ? "." : display(raw);
  }

  private static String display(String raw) {
    return new String(raw.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  @Override
  public int compareTo(TreePath other) {
    return raw.compareTo(other.raw);
  }

  @Override
  public String toString() {
    return display();
  }
}
