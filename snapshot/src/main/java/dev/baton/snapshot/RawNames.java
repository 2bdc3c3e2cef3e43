/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Between {@link Path} and raw bytes (one per char).
 *
 * <p>A Path on Linux keeps the name's bytes, but its {@code toString} decodes them with the
 * locale's charset and loses what does not fit. A {@code file:} URI carries the bytes
 * percent-encoded, both ways, in any locale; it costs a {@code stat}, so it is used only where text
 * would lose something.
 */
final class RawNames {
  private static final boolean UTF_8_NAMES =
      "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
  private static final char REPLACEMENT = '\uFFFD';
  private static final Path SLASH = Path.of("/");

  private RawNames() {}

  static String toRaw(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** The raw bytes of a path that may be relative, a symbolic link's target for example. */
  static String rawOf(Path path) {
    String text = path.toString();
    if (isExact(text)) {
      return toRaw(text);
    }
    String encoded = SLASH.resolve(path).toUri().getRawPath();
    // The URI of what happens to be a directory ends in a slash, whether or not the path did.
    int end =
        encoded.endsWith("/") && !text.endsWith("/") ? encoded.length() - 1 : encoded.length();
    return percentDecode(encoded.substring(path.isAbsolute() ? 0 : 1, end));
  }

  static Path resolve(Path root, TreePath path) {
    return path.isRoot() ? root : root.resolve(toPath(path.raw()));
  }

  /**
   * The path with exactly these bytes, a final slash included (which {@link Path#of} would drop).
   */
  static Path toPath(String raw) {
    String text = new String(raw.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    boolean finalSlash = raw.length() > 1 && raw.endsWith("/");
    if (!finalSlash && isExact(text)) {
      return Path.of(text);
    }
    boolean absolute = raw.startsWith("/");
    // One more slash at the end, because the conversion drops one.
    Path path = Path.of(URI.create("file://" + (absolute ? "" : "/") + percentEncode(raw) + "/"));
    return absolute ? path : path.subpath(0, path.getNameCount());
  }

  private static boolean isExact(String text) {
    return UTF_8_NAMES ? text.indexOf(REPLACEMENT) < 0 : text.chars().allMatch(c -> c < 128);
  }

  private static String percentEncode(String raw) {
    StringBuilder out = new StringBuilder(raw.length() + 16);
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      boolean plain = c == '/' || (c < 128 && Character.isLetterOrDigit(c));
      if (plain) {
        out.append(c);
      } else {
        out.append('%')
            .append(Character.forDigit(c >> 4, 16))
            .append(Character.forDigit(c & 15, 16));
      }
    }
    return out.toString();
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
