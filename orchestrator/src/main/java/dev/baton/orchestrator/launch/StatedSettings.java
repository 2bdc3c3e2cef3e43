/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The settings of a pool, then those of its launcher.
 *
 * @param <S> the settings that both may have
 */
record StatedSettings<S>(S pool, S launcher) {
  private static final int KIBI_SHIFT = 10;
  private static final int MEBI_SHIFT = 20;
  private static final int GIBI_SHIFT = 30;

  /** Returns the value of the pool, else that of the launcher, else nothing. */
  <T> Optional<T> of(Function<S, Optional<T>> key) {
    return Stream.of(pool, launcher).map(key).flatMap(Optional::stream).findFirst();
  }

  /** Returns the lines that are not empty. */
  static List<String> lines(Optional<String> text) {
    return text.stream()
        .flatMap(String::lines)
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .toList();
  }

  /** Reads one {@code NAME=value} per line. */
  static Map<String, String> pairs(Optional<String> text) {
    Map<String, String> pairs = new HashMap<>();
    for (String line : lines(text)) {
      int sign = line.indexOf('=');
      pairs.put(line.substring(0, sign), line.substring(sign + 1));
    }
    return pairs;
  }

  /** Reads a number with the suffix k, m or g. */
  static long bytes(String size) {
    int last = size.length() - 1;
    int shift =
        switch (size.charAt(last)) {
          case 'k' -> KIBI_SHIFT;
          case 'm' -> MEBI_SHIFT;
          default -> GIBI_SHIFT;
        };
    return Long.parseLong(size.substring(0, last)) << shift;
  }
}
