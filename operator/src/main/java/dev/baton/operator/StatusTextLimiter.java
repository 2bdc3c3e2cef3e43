/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

/**
 * Shortens foreign text to a number of bytes of JSON, so that the size of a status has a bound:
 * JSON needs up to six bytes for one character. Thread-safe.
 */
final class StatusTextLimiter {
  private static final String ELLIPSIS = "…";
  private static final int ELLIPSIS_BYTES = 3;

  private StatusTextLimiter() {}

  /**
   * Returns the text if its JSON has at most {@code maxBytes} without the quotes; otherwise its
   * beginning with an ellipsis, within that bound. Never ends within a surrogate pair.
   */
  static String limit(String text, int maxBytes) {
    int bytes = 0;
    int fits = 0;
    for (int at = 0; at < text.length(); ) {
      int codePoint = text.codePointAt(at);
      bytes += jsonBytes(codePoint);
      at += Character.charCount(codePoint);
      if (bytes > maxBytes) {
        return text.substring(0, fits) + ELLIPSIS;
      }
      if (bytes <= maxBytes - ELLIPSIS_BYTES) {
        fits = at;
      }
    }
    return text;
  }

  private static int jsonBytes(int codePoint) {
    if (codePoint < 0x20
        || Character.MIN_SURROGATE <= codePoint && codePoint <= Character.MAX_SURROGATE) {
      return 6;
    }
    if (codePoint < 0x80) {
      return codePoint == '"' || codePoint == '\\' ? 2 : 1;
    }
    if (codePoint < 0x800) {
      return 2;
    }
    return codePoint < 0x10000 ? 3 : 4;
  }
}
