/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Validates names, targets and paths as raw bytes, one per char. */
final class RawBytesValidator {
  static final int MAX_NAME = 255;
  private static final int SHOWN = 300;

  private RawBytesValidator() {}

  /** Decodes as UTF-8 for display, shortened. */
  static String display(String raw) {
    String part = raw.length() <= SHOWN ? raw : raw.substring(0, SHOWN) + "...";
    return new String(part.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Returns why this is not a valid name of an entry; null if it is valid. */
  static @Nullable String nameProblem(String raw, int start, int end) {
    int length = end - start;
    if (length < 1 || length > MAX_NAME) {
      return "a name is 1 to %d bytes, not %d".formatted(MAX_NAME, length);
    }
    if (raw.charAt(start) == '.'
        && (length == 1 || (length == 2 && raw.charAt(start + 1) == '.'))) {
      return "a name is neither '.' nor '..'";
    }
    for (int i = start; i < end; i++) {
      char c = raw.charAt(i);
      if (c == '/' || c == 0 || c > 255) {
        return "name '%s' must be bytes without '/' and NUL"
            .formatted(display(raw.substring(start, end)));
      }
    }
    return null;
  }

  /** Returns why this is not a valid path from the root; null if it is valid. */
  static @Nullable String pathProblem(String raw) {
    if (raw.isEmpty() || raw.length() > NodeEntry.HardLink.MAX_PATH) {
      return "a path is 1 to %d bytes, not %d".formatted(NodeEntry.HardLink.MAX_PATH, raw.length());
    }
    int start = 0;
    while (true) {
      int slash = raw.indexOf('/', start);
      String problem = nameProblem(raw, start, slash < 0 ? raw.length() : slash);
      if (problem != null || slash < 0) {
        return problem;
      }
      start = slash + 1;
    }
  }

  static @Nullable String problem(
      String raw, int least, int most, boolean withoutNul, String what) {
    if (raw.length() < least || raw.length() > most) {
      return "%s is %d to %d bytes, not %d".formatted(what, least, most, raw.length());
    }
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c > 255 || (c == 0 && withoutNul)) {
        return "%s must be bytes%s".formatted(what, withoutNul ? " without NUL" : "");
      }
    }
    return null;
  }

  static void requireName(String raw) {
    refuse(nameProblem(raw, 0, raw.length()));
  }

  static void requirePath(String raw) {
    refuse(pathProblem(raw));
  }

  static void require(String raw, int least, int most, boolean withoutNul, String what) {
    refuse(problem(raw, least, most, withoutNul, what));
  }

  private static void refuse(@Nullable String problem) {
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }
}
