/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.github.f4b6a3.ulid.UlidCreator;
import java.util.Locale;

/** A run's id is a ULID in lower case; its last six characters are its display id. */
public final class RunId {
  private static final int LENGTH = 26;
  private static final int DISPLAY = 6;

  private RunId() {}

  /** A new id; ids made by one process rise. Thread-safe. */
  public static String next() {
    return UlidCreator.getMonotonicUlid().toString().toLowerCase(Locale.ROOT);
  }

  public static boolean isValid(String text) {
    if (text.length() != LENGTH || text.charAt(0) > '7') {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      if (!isCrockford(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Base 32 without the letters that look like others. */
  private static boolean isCrockford(char c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z' && c != 'i' && c != 'l' && c != 'o' && c != 'u');
  }

  /**
   * @throws IllegalArgumentException when the text is not a lower-case ULID
   */
  public static String check(String text) {
    if (!isValid(text)) {
      throw new IllegalArgumentException(
          "run id '" + abbreviate(text) + "' is not a ULID in lower case (26 characters)");
    }
    return text;
  }

  public static String display(String run) {
    return run.substring(run.length() - DISPLAY);
  }

  private static String abbreviate(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "…";
  }
}
