/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Parses and formats times in the usual wire form, {@code 2026-05-01T12:00:00.123456Z}, without the
 * general formatters, which cost as much as the rest of an event.
 */
public final class WireTimeCodec {
  private static final String FORM = "dddd-dd-ddTdd:dd:dd";
  private static final int MAX_DIGITS = 9;

  private WireTimeCodec() {}

  /** Parses a time in the usual form; null for any other text, which may still be a valid time. */
  public static @Nullable OffsetDateTime parseUtc(String text) {
    int length = FORM.length();
    int last = text.length() - 1;
    if (last < length || last > length + 1 + MAX_DIGITS || text.charAt(last) != 'Z') {
      return null;
    }
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (FORM.charAt(i) == 'd' ? !isDigit(c) : c != FORM.charAt(i)) {
        return null;
      }
    }
    int nanos = 0;
    if (last > length) {
      if (text.charAt(length) != '.' || last == length + 1) {
        return null;
      }
      for (int i = length + 1; i <= length + MAX_DIGITS; i++) {
        char digit = i < last ? text.charAt(i) : '0';
        if (!isDigit(digit)) {
          return null;
        }
        nanos = nanos * 10 + digit - '0';
      }
    }
    try {
      return OffsetDateTime.of(
          two(text, 0) * 100 + two(text, 2),
          two(text, 5),
          two(text, 8),
          two(text, 11),
          two(text, 14),
          two(text, 17),
          nanos,
          ZoneOffset.UTC);
    } catch (DateTimeException noSuchTime) {
      return null;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static int two(String text, int at) {
    return (text.charAt(at) - '0') * 10 + text.charAt(at + 1) - '0';
  }

  /** Formats a time as {@link DateTimeFormatter#ISO_OFFSET_DATE_TIME} does. */
  public static String format(OffsetDateTime time) {
    int year = time.getYear();
    if (year < 0 || year > 9999 || !time.getOffset().equals(ZoneOffset.UTC)) {
      return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
    }
    StringBuilder text = new StringBuilder(FORM.length() + MAX_DIGITS + 2);
    two(text, year / 100);
    two(text, year % 100);
    two(text.append('-'), time.getMonthValue());
    two(text.append('-'), time.getDayOfMonth());
    two(text.append('T'), time.getHour());
    two(text.append(':'), time.getMinute());
    two(text.append(':'), time.getSecond());
    int nanos = time.getNano();
    if (nanos > 0) {
      text.append('.');
      for (int place = 100_000_000; nanos > 0; place /= 10) {
        text.append((char) ('0' + nanos / place));
        nanos %= place;
      }
    }
    return text.append('Z').toString();
  }

  private static void two(StringBuilder text, int number) {
    text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }
}
