/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/** Parses numbers within ids: ASCII digits only, no sign. */
final class AsciiDigitParser {
  private AsciiDigitParser() {}

  /**
   * Parses the number from {@code start} to the text's end.
   *
   * @param maxDigits at most 18, so that no number overflows
   * @return -1 unless there are 1 to {@code maxDigits} digits and nothing else
   */
  static long parse(String text, int start, int maxDigits) {
    int length = text.length() - start;
    if (length < 1 || length > maxDigits) {
      return -1;
    }
    long number = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      number = number * 10 + c - '0';
    }
    return number;
  }
}
