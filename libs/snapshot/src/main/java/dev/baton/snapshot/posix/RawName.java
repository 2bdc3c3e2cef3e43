/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Handles file names as raw bytes, in a String whose chars are these bytes (0-255). */
public final class RawName {
  /** Maximum length of a name in bytes. */
  public static final int MAX = 255;

  /** Maximum length of a symbolic link's target in bytes. */
  public static final int MAX_TARGET = 4095;

  private static final boolean UTF_8_NAMES =
      "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
  private static final char REPLACEMENT = '\uFFFD';

  private RawName() {}

  /** Encodes text as UTF-8 bytes. */
  public static String of(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Decodes as UTF-8 for display, with replacement characters for invalid bytes. */
  public static String display(String raw) {
    return new String(raw.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Returns the bytes of a whole path, made absolute. */
  public static String ofPath(Path path) {
    Path absolute = path.toAbsolutePath();
    String text = absolute.toString();
    boolean exact =
        UTF_8_NAMES ? text.indexOf(REPLACEMENT) < 0 : text.chars().allMatch(c -> c < 128);
    // A file URI preserves the bytes in any locale, but costs a stat.
    return exact ? of(text) : percentDecode(absolute.toUri().getRawPath());
  }

  /** Checks a name: not empty and without a slash, so that it can only be a child's name. */
  static String checked(String name) {
    check(name, MAX, true);
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException(
          "bad file name '%s': neither empty nor '.' nor '..' can be one".formatted(name));
    }
    return name;
  }

  static String checkedTarget(String target) {
    check(target, MAX_TARGET, false);
    return target;
  }

  private static void check(String raw, int max, boolean name) {
    int length = raw.length();
    if (length > max) {
      throw new IllegalArgumentException(
          "a name of %d bytes; at most %d are allowed".formatted(length, max));
    }
    for (int i = 0; i < length; i++) {
      char c = raw.charAt(i);
      if (c == 0 || c > 255 || (name && c == '/')) {
        throw new IllegalArgumentException(
            "bad name '%s': char %d at %d is not allowed in it"
                .formatted(raw.replace('\0', '?'), (int) c, i));
      }
    }
  }

  private static String percentDecode(String encoded) {
    StringBuilder out = new StringBuilder(encoded.length());
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c == '%') {
        out.append((char) Integer.parseInt(encoded, i + 1, i + 3, 16));
        i += 2;
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
