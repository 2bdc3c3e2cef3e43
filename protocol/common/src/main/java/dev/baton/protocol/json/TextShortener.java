/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

/**
 * Shortens foreign text for messages and fields with a bound, never within a surrogate pair, so
 * that the result can be written as UTF-8. Thread-safe.
 */
public final class TextShortener {
  private TextShortener() {}

  /**
   * Returns the text if it has at most {@code most} UTF-16 units; otherwise its beginning of at
   * most that length, followed by an ellipsis.
   */
  public static String shorten(String text, int most) {
    return text.length() <= most ? text : truncate(text, most) + "…";
  }

  /** Returns the beginning of the text with at most {@code most} UTF-16 units. */
  public static String truncate(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    boolean splitsPair =
        most > 0
            && Character.isHighSurrogate(text.charAt(most - 1))
            && Character.isLowSurrogate(text.charAt(most));
    return text.substring(0, splitsPair ? most - 1 : most);
  }
}
