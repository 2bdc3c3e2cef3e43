/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Escapes characters of untrusted text that control a terminal or are invisible: {@code \x1b},
 * <code>&#92;u202e</code>, <code>&#92;u{e0041}</code>. {@link CharacterPolicy} decides which.
 * Idempotent.
 */
public final class TextEscaper {
  // Sequences of a step's output that may pass: style and colour, but none that hides text.
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[([0-9;:]{0,48})m");
  private static final String STYLE =
      "(?:[34]8[;:]5[;:]\\d{1,3}|[34]8[;:]2(?:[;:]\\d{0,3}){3,4}"
          + "|(?:0*(?:[0-4]|7|9|2[1-79]|3[0-79]|4[0-79]|9[0-7]|10[0-7]))?)";
  private static final Pattern STYLES = Pattern.compile(STYLE + "(?:[;:]" + STYLE + ")*");
  // Well-formed sequences of other kinds: cursor, erase, title, link.
  private static final Pattern OTHER =
      Pattern.compile(
          "\u001b(?:\\[[0-?]{0,48}[ -/]{0,8}[@-~]"
              + "|[\\]PX^_][^\u0007\u001b\\p{Cntrl}]{0,2048}(?:\u0007|\u001b\\\\))");
  private static final String RESET = "\u001b[0m";
  private static final String CONTINUED = "\n  │ ";

  private TextEscaper() {}

  /** Escapes the text; keeps line breaks and tabs. */
  public static String escape(String text) {
    return escape(text, false);
  }

  /**
   * Escapes JSON without changing its meaning: affected characters occur only within strings, and
   * get JSON escapes.
   */
  public static String json(String json) {
    return escape(json, true);
  }

  /** Escapes into one line: a line break and the blanks around it become a space. */
  public static String oneLine(String text) {
    return escape(text.replaceAll("[ \\t]*\\r?\\n[ \\t\\r\\n]*", " ").strip());
  }

  /** Escapes into one line of limited length, with an ellipsis if it is cut. */
  public static String oneLine(String text, int widest) {
    String flat = oneLine(text.replaceAll("[ \\t]+", " "));
    if (flat.codePointCount(0, flat.length()) <= widest) {
      return flat;
    }
    return flat.substring(0, flat.offsetByCodePoints(0, widest - 1)) + "…";
  }

  /** Escapes into several lines; marks all but the first as continuation. */
  public static String block(String text) {
    return escape(text.replace("\r\n", "\n")).stripTrailing().replace("\n", CONTINUED);
  }

  /**
   * Escapes a step's output and keeps its colours: removes other control sequences and resets the
   * colour at the end.
   *
   * @param colour whether to keep its colours
   */
  public static String printed(String line, boolean colour) {
    if (line.indexOf('\u001b') < 0) {
      return escape(line);
    }
    StringBuilder shown = new StringBuilder(line.length() + 16);
    boolean painted = false;
    Matcher colours = COLOUR.matcher(line);
    int at = 0;
    while (colours.find()) {
      shown.append(escape(plain(line.substring(at, colours.start()))));
      at = colours.end();
      if (colour && STYLES.matcher(colours.group(1)).matches()) {
        shown.append(ControlSequenceMarker.of(colours.group()));
        painted = true;
      }
    }
    shown.append(escape(plain(line.substring(at))));
    return painted ? shown.append(ControlSequenceMarker.of(RESET)).toString() : shown.toString();
  }

  private static String plain(String text) {
    return text.indexOf('\u001b') < 0 ? text : OTHER.matcher(text).replaceAll("");
  }

  private static String escape(String text, boolean json) {
    int at = 0;
    while (at < text.length() && CharacterPolicy.isPlain(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 16);
    int before = -1;
    int marks = 0;
    for (int i = 0; i < text.length(); ) {
      int own = json ? -1 : ControlSequenceMarker.end(text, i);
      if (own > 0) {
        shown.append(text, i, own);
        i = own;
        continue;
      }
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      int after = i < text.length() ? text.codePointAt(i) : -1;
      boolean isShown = CharacterPolicy.isShown(point, before, after, marks);
      if (isShown) {
        shown.appendCodePoint(point);
      } else if (json) {
        jsonEscape(shown, point);
      } else {
        visible(shown, point);
      }
      marks = isShown && CharacterPolicy.isMark(point) ? marks + 1 : 0;
      before = isShown ? point : -1;
    }
    return shown.toString();
  }

  private static void visible(StringBuilder shown, int point) {
    String form = point < 0x100 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\u{%x}";
    shown.append(String.format(Locale.ROOT, form, point));
  }

  private static void jsonEscape(StringBuilder shown, int point) {
    for (char unit : Character.toChars(point)) {
      shown.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
    }
  }
}
