/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.locale;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sets one variable of an environment so that its locale uses UTF-8: {@code LC_ALL} where it is
 * set, since it overrides all others, otherwise {@code LC_CTYPE}, which leaves language, sort order
 * and formats unchanged. Where {@code LC_CTYPE} is already {@code C.UTF-8}, another variable must
 * name a locale that is not installed, for which the C library ignores them all: then it sets
 * {@code LC_ALL}. Entries are raw bytes, {@code NAME=VALUE}.
 */
final class Utf8EnvironmentRewriter {
  private static final byte[] ALL = ascii("LC_ALL=");
  private static final byte[] CTYPE = ascii("LC_CTYPE=");
  private static final byte[] VALUE = ascii("C.UTF-8");

  private Utf8EnvironmentRewriter() {}

  static List<byte[]> corrected(List<byte[]> entries) {
    boolean inVain = entries.stream().anyMatch(entry -> Arrays.equals(entry, entry(CTYPE)));
    byte[] name =
        inVain || entries.stream().anyMatch(Utf8EnvironmentRewriter::overrides) ? ALL : CTYPE;
    List<byte[]> corrected = new ArrayList<>();
    for (byte[] entry : entries) {
      if (!startsWith(entry, name)) {
        corrected.add(entry);
      }
    }
    corrected.add(entry(name));
    return corrected;
  }

  private static byte[] entry(byte[] name) {
    byte[] entry = Arrays.copyOf(name, name.length + VALUE.length);
    System.arraycopy(VALUE, 0, entry, name.length, VALUE.length);
    return entry;
  }

  /** Whether both have the same entries, in any order. */
  static boolean isSame(List<byte[]> one, List<byte[]> other) {
    return one.size() == other.size()
        && one.stream().allMatch(a -> other.stream().anyMatch(b -> Arrays.equals(a, b)));
  }

  private static boolean overrides(byte[] entry) {
    return startsWith(entry, ALL) && entry.length > ALL.length;
  }

  private static boolean startsWith(byte[] entry, byte[] prefix) {
    return entry.length >= prefix.length
        && Arrays.equals(entry, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
