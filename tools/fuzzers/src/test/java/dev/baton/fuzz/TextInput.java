/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits an input into the parts that a decoder takes. */
public final class TextInput {
  private TextInput() {}

  /** Returns the input as text; malformed UTF-8 becomes replacement characters. */
  public static String text(byte[] input) {
    return new String(input, UTF_8);
  }

  /**
   * Splits an input at its first NULs.
   *
   * @param count of parts; those that are missing are empty
   */
  public static List<byte[]> parts(byte[] input, int count) {
    List<byte[]> parts = new ArrayList<>();
    int from = 0;
    for (int at = 0; at < input.length && parts.size() < count - 1; at++) {
      if (input[at] == 0) {
        parts.add(Arrays.copyOfRange(input, from, at));
        from = at + 1;
      }
    }
    parts.add(Arrays.copyOfRange(input, from, input.length));
    while (parts.size() < count) {
      parts.add(new byte[0]);
    }
    return parts;
  }
}
