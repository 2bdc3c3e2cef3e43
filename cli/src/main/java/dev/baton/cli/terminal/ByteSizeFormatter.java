/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.util.Locale;

/** Formats sizes for display, in decimal units. */
public final class ByteSizeFormatter {
  private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};

  private ByteSizeFormatter() {}

  /** {@code 999B}, {@code 1.2KB}, {@code 15MB}, {@code 230GB}; below 10 with one decimal. */
  public static String of(long bytes) {
    double value = Math.max(0, bytes);
    int unit = 0;
    // 999.5 of a unit would be printed as 1000.
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    boolean whole = unit == 0 || value >= 9.95;
    return String.format(Locale.ROOT, whole ? "%.0f%s" : "%.1f%s", value, UNITS[unit]);
  }
}
