/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.github.f4b6a3.ulid.UlidCreator;
import java.util.Locale;
import java.util.regex.Pattern;

/** A run's id is a ULID in lower case; its last six characters are its display id. */
public final class RunId {
  private static final Pattern ULID = Pattern.compile("[0-7][0-9a-hjkmnp-tv-z]{25}");
  private static final int DISPLAY = 6;

  private RunId() {}

  /** A new id; ids made by one process rise. Thread-safe. */
  public static String next() {
    return UlidCreator.getMonotonicUlid().toString().toLowerCase(Locale.ROOT);
  }

  public static boolean isValid(String text) {
    return ULID.matcher(text).matches();
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
