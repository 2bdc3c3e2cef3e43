/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/** Parses a time by a {@code strptime} format. */
final class StrptimeParser {
  private final String text;
  private final String format;
  private final List<String> months;
  private final List<String> days;
  private int at;
  private int year = 1900;
  private int month = 1;
  private int day = 1;
  private int hour;
  private int minute;
  private int second;
  private int yearDay;
  private boolean afternoon;
  private long epoch = Long.MIN_VALUE;

  StrptimeParser(String text, String format, List<String> months, List<String> days) {
    this.text = text;
    this.format = format;
    this.months = months;
    this.days = days;
  }

  LocalDateTime read() {
    read(format);
    if (at != text.length()) {
      throw mismatch();
    }
    try {
      if (epoch != Long.MIN_VALUE) {
        return LocalDateTime.ofEpochSecond(epoch, 0, ZoneOffset.UTC);
      }
      LocalDate date =
          yearDay > 0 ? LocalDate.ofYearDay(year, yearDay) : LocalDate.of(year, month, day);
      return date.atTime(afternoon ? hour + 12 : hour, minute, Math.min(second, 59));
    } catch (DateTimeException e) {
      throw mismatch();
    }
  }

  private JqException mismatch() {
    return new JqException("date \"" + text + "\" does not match format \"" + format + "\"");
  }

  private void read(String part) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '%' && i + 1 < part.length()) {
        field(part.charAt(++i));
      } else if (Character.isWhitespace(c)) {
        skipBlanks();
      } else if (at < text.length() && text.charAt(at) == c) {
        at++;
      } else {
        throw mismatch();
      }
    }
  }

  private void skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private void field(char field) {
    switch (field) {
      case 'Y' -> year = number(4);
      case 'y' -> {
        int two = number(2);
        year = two < 69 ? 2000 + two : 1900 + two;
      }
      case 'm' -> month = number(2);
      case 'd', 'e' -> day = number(2);
      case 'H', 'k' -> hour = number(2);
      case 'I', 'l' -> hour = number(2) % 12;
      case 'M' -> minute = number(2);
      case 'S' -> second = number(2);
      case 'j' -> yearDay = number(3);
      case 's' -> epoch = number(11);
      case 'p', 'P' -> afternoon = name(List.of("AM", "PM"), 2) == 1;
      case 'a', 'A' -> name(days, 3);
      case 'b', 'B', 'h' -> month = 1 + name(months, 3);
      case 'Z' -> zoneName();
      case 'z' -> zoneOffset();
      case 'T' -> read("%H:%M:%S");
      case 'R' -> read("%H:%M");
      case 'D' -> read("%m/%d/%y");
      case 'F' -> read("%Y-%m-%d");
      case 'c' -> read("%a %b %e %H:%M:%S %Y");
      case 'n', 't' -> skipBlanks();
      case '%' -> {
        if (!text.startsWith("%", at)) {
          throw mismatch();
        }
        at++;
      }
      default -> throw new JqException("strptime/1: unknown field %" + field);
    }
  }

  private int number(int most) {
    skipBlanks();
    int start = at;
    long value = 0;
    while (at < text.length() && at - start < most && Character.isDigit(text.charAt(at))) {
      value = value * 10 + Character.digit(text.charAt(at++), 10);
    }
    if (at == start || value > Integer.MAX_VALUE) {
      throw mismatch();
    }
    return (int) value;
  }

  /** Matches the whole name or its first letters. */
  private int name(List<String> names, int shortest) {
    String rest = text.substring(at).toLowerCase(Locale.ENGLISH);
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i).toLowerCase(Locale.ENGLISH);
      if (rest.startsWith(name)) {
        at += name.length();
        return i;
      }
    }
    for (int i = 0; i < names.size(); i++) {
      if (rest.startsWith(names.get(i).substring(0, shortest).toLowerCase(Locale.ENGLISH))) {
        at += shortest;
        return i;
      }
    }
    throw mismatch();
  }

  private void zoneName() {
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw mismatch();
    }
  }

  /** Parsed but ignored, as in jq. */
  private void zoneOffset() {
    if (text.startsWith("Z", at)) {
      at++;
      return;
    }
    if (at >= text.length() || "+-".indexOf(text.charAt(at)) < 0) {
      throw mismatch();
    }
    at++;
    number(2);
    if (text.startsWith(":", at)) {
      at++;
    }
    number(2);
  }
}
