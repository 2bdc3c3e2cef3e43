/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.IsoFields;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Functions on times, in UTC only: functions that depend on the machine's time zone are not
 * available.
 */
final class JqDateLibrary {
  private static final int PARTS = 8;
  private static final double FURTHEST = 3e11;
  private static final List<String> MONTHS =
      IntStream.rangeClosed(1, 12)
          .mapToObj(i -> java.time.Month.of(i).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
          .toList();
  private static final List<String> DAYS =
      IntStream.rangeClosed(1, 7)
          .mapToObj(i -> java.time.DayOfWeek.of(i).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
          .toList();

  private JqDateLibrary() {}

  static void addTo(Map<String, JqNativeCallFilter.Function> all) {
    all.put("gmtime/0", (m, in, a) -> parts(in));
    all.put("mktime/0", (m, in, a) -> seconds(in));
    all.put("strftime/1", (m, in, a) -> format(m, in, a[0]));
    all.put("strptime/1", (m, in, a) -> parse(in, a[0]));
  }

  private static ArrayNode parts(JsonNode in) {
    if (!in.isNumber()) {
      throw new JqException("gmtime() requires a number");
    }
    double seconds = in.doubleValue();
    if (!(Math.abs(seconds) < FURTHEST)) {
      throw new JqException("error converting number of seconds since epoch to datetime");
    }
    double whole = Math.floor(seconds);
    LocalDateTime time =
        LocalDateTime.ofInstant(Instant.ofEpochSecond((long) whole), ZoneOffset.UTC);
    return parts(time, time.getSecond() + (seconds - whole));
  }

  private static ArrayNode parts(LocalDateTime time, double second) {
    return JqTypeSystem.array(PARTS)
        .add(time.getYear())
        .add(time.getMonthValue() - 1)
        .add(time.getDayOfMonth())
        .add(time.getHour())
        .add(time.getMinute())
        .add(JqArithmetic.of(second))
        .add(time.getDayOfWeek().getValue() % 7)
        .add(time.getDayOfYear() - 1);
  }

  private static LocalDateTime time(JsonNode parts, String name) {
    if (!parts.isArray() || parts.size() < 3) {
      throw new JqException(name + " requires array of 6 numbers");
    }
    for (JsonNode part : parts) {
      if (!part.isNumber()) {
        throw new JqException(name + " requires parsed datetime inputs");
      }
    }
    try {
      // Days and months out of range are carried over, as in C.
      return LocalDate.of(part(parts, 0), 1, 1)
          .atStartOfDay()
          .plusMonths(part(parts, 1))
          .plusDays(part(parts, 2) - 1L)
          .plusHours(part(parts, 3))
          .plusMinutes(part(parts, 4))
          .plusSeconds(part(parts, 5));
    } catch (DateTimeException | ArithmeticException e) {
      throw new JqException("invalid gmtime representation");
    }
  }

  private static int part(JsonNode parts, int index) {
    return index < parts.size() ? (int) Math.floor(parts.get(index).doubleValue()) : 0;
  }

  private static JsonNode seconds(JsonNode in) {
    return JqArithmetic.of(time(in, "mktime").toEpochSecond(ZoneOffset.UTC));
  }

  private static JsonNode format(JqEvaluator m, JsonNode in, JsonNode format) {
    JsonNode parts = in.isNumber() ? parts(in) : in;
    if (!parts.isArray()) {
      throw new JqException("strftime/1 requires parsed datetime inputs");
    }
    if (!format.isTextual()) {
      throw new JqException("strftime/1 requires a string format");
    }
    LocalDateTime time = time(parts, "strftime/1");
    StringBuilder out = new StringBuilder();
    String text = format.textValue();
    for (int i = 0; i < text.length(); i++) {
      m.charge(16);
      char c = text.charAt(i);
      if (c != '%' || i + 1 == text.length()) {
        out.append(c);
      } else {
        out.append(field(time, text.charAt(++i)));
      }
    }
    return JqTypeSystem.text(out.toString());
  }

  private static String field(LocalDateTime time, char field) {
    int week = time.getDayOfWeek().getValue();
    int yearDay = time.getDayOfYear();
    return switch (field) {
      case 'Y' -> Integer.toString(time.getYear());
      case 'C' -> two(time.getYear() / 100);
      case 'y' -> two(Math.floorMod(time.getYear(), 100));
      case 'm' -> two(time.getMonthValue());
      case 'd' -> two(time.getDayOfMonth());
      case 'e' -> "%2d".formatted(time.getDayOfMonth());
      case 'H' -> two(time.getHour());
      case 'k' -> "%2d".formatted(time.getHour());
      case 'I' -> two((time.getHour() + 11) % 12 + 1);
      case 'l' -> "%2d".formatted((time.getHour() + 11) % 12 + 1);
      case 'M' -> two(time.getMinute());
      case 'S' -> two(time.getSecond());
      case 'Z' -> "UTC";
      case 'z' -> "+0000";
      case 'j' -> "%03d".formatted(yearDay);
      case 'p' -> time.getHour() < 12 ? "AM" : "PM";
      case 'P' -> time.getHour() < 12 ? "am" : "pm";
      case 'a' -> DAYS.get(week - 1).substring(0, 3);
      case 'A' -> DAYS.get(week - 1);
      case 'b', 'h' -> MONTHS.get(time.getMonthValue() - 1).substring(0, 3);
      case 'B' -> MONTHS.get(time.getMonthValue() - 1);
      case 'u' -> Integer.toString(week);
      case 'w' -> Integer.toString(week % 7);
      case 'U' -> two((yearDay + 6 - week % 7) / 7);
      case 'W' -> two((yearDay + 6 - (week - 1)) / 7);
      case 'V' -> two(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
      case 'G' -> Integer.toString(time.get(IsoFields.WEEK_BASED_YEAR));
      case 's' -> Long.toString(time.toEpochSecond(ZoneOffset.UTC));
      case 'D' -> all(time, "m/d/y");
      case 'F' -> all(time, "Y-m-d");
      case 'T', 'X' -> all(time, "H:M:S");
      case 'x' -> all(time, "m/d/y");
      case 'R' -> all(time, "H:M");
      case 'r' -> all(time, "I:M:S p");
      case 'c' -> all(time, "a b e H:M:S Y");
      case 'n' -> "\n";
      case 't' -> "\t";
      case '%' -> "%";
      default -> throw new JqException("strftime/1: unknown field %" + field);
    };
  }

  private static String all(LocalDateTime time, String fields) {
    StringBuilder out = new StringBuilder();
    for (char c : fields.toCharArray()) {
      out.append(Character.isLetter(c) ? field(time, c) : Character.toString(c));
    }
    return out.toString();
  }

  private static String two(int number) {
    return "%02d".formatted(number);
  }

  private static JsonNode parse(JsonNode in, JsonNode format) {
    if (!in.isTextual() || !format.isTextual()) {
      throw new JqException("strptime/1 requires string inputs and arguments");
    }
    StrptimeParser reader = new StrptimeParser(in.textValue(), format.textValue(), MONTHS, DAYS);
    LocalDateTime time = reader.read();
    return parts(time, time.getSecond());
  }
}
