/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.regex;

import dev.baton.protocol.regex.RegexException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jcodings.specific.UTF8Encoding;
import org.joni.Matcher;
import org.joni.NameEntry;
import org.joni.Option;
import org.joni.Regex;
import org.joni.Region;
import org.joni.Syntax;
import org.joni.WarnCallback;
import org.jspecify.annotations.Nullable;

/**
 * Runs a regular expression with a time limit for each search, which the matcher checks while it
 * backtracks. Backtracking state is on the heap instead of the thread's stack, so long texts do not
 * overflow it. Immutable, thread-safe.
 */
public final class BoundedPattern {
  /** Maximum characters of a pattern. */
  public static final int MAX_PATTERN_LENGTH = 16 * 1024;

  /** Maximum UTF-8 bytes of a text. Backtracking may hold a few hundred bytes for each. */
  public static final int MAX_TEXT_BYTES = 1024 * 1024;

  /** White space ({@code \s}) of ECMA-262 as a character set. */
  private static final String SPACE =
      "\\t\\n\\x0B\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

  private final Regex regex;
  private final @Nullable String[] names;

  private BoundedPattern(Regex regex) {
    this.regex = regex;
    this.names = names(regex);
  }

  /**
   * Compiles a pattern of jq: Perl's syntax as in Oniguruma.
   *
   * @param flags of {@link Option}
   * @throws RegexException when it is not valid
   */
  public static BoundedPattern ofJq(String pattern, int flags) {
    return compile(pattern, flags | Option.CAPTURE_GROUP, Syntax.PerlNG);
  }

  /**
   * Compiles a pattern of JSON Schema: ECMA-262, where {@code ^} and {@code $} match the ends of
   * the text.
   *
   * @throws RegexException when it is not valid
   */
  public static BoundedPattern ofSchema(String pattern) {
    return compile(ecma(pattern), Option.SINGLELINE, Syntax.Java);
  }

  private static BoundedPattern compile(String pattern, int flags, Syntax syntax) {
    if (pattern.length() > MAX_PATTERN_LENGTH) {
      throw new RegexException(
          Reason.SYNTAX, "the pattern has more than " + MAX_PATTERN_LENGTH + " characters");
    }
    byte[] bytes = pattern.getBytes(StandardCharsets.UTF_8);
    try {
      return new BoundedPattern(
          new Regex(
              bytes, 0, bytes.length, flags, UTF8Encoding.INSTANCE, syntax, WarnCallback.NONE));
    } catch (StackOverflowError e) {
      throw new RegexException(Reason.SYNTAX, "the pattern is nested too deeply");
    } catch (RuntimeException e) {
      // The library throws its own exception for most invalid patterns, but array exceptions for
      // some.
      String message = e.getMessage();
      throw new RegexException(Reason.SYNTAX, message == null ? "it cannot be read" : message);
    }
  }

  private static @Nullable String[] names(Regex regex) {
    @Nullable String[] names = new String[regex.numberOfCaptures() + 1];
    if (regex.numberOfNames() > 0) {
      for (Iterator<NameEntry> all = regex.namedBackrefIterator(); all.hasNext(); ) {
        NameEntry entry = all.next();
        String name =
            new String(
                entry.name, entry.nameP, entry.nameEnd - entry.nameP, StandardCharsets.UTF_8);
        for (int group : entry.getBackRefs()) {
          names[group] = name;
        }
      }
    }
    return names;
  }

  /** Returns the name of a capturing group; null for an unnamed one. */
  public @Nullable String name(int group) {
    return names[group];
  }

  /** Returns the number of capturing groups. */
  public int groups() {
    return regex.numberOfCaptures();
  }

  /**
   * The positions of one match, as offsets in UTF-8 bytes.
   *
   * @param starts of the whole match and of each group; -1 for a group that did not match
   * @param ends like the starts
   */
  public record Match(List<Integer> starts, List<Integer> ends) {
    public Match {
      starts = List.copyOf(starts);
      ends = List.copyOf(ends);
    }

    public int start() {
      return starts.getFirst();
    }

    public int end() {
      return ends.getFirst();
    }
  }

  /**
   * Finds the first match at or after a position.
   *
   * @param text in UTF-8
   * @param from a byte at which a character begins
   * @param maxNanos time limit of the search
   * @return null when there is none
   * @throws RegexException when the text is too long or the search exceeds its time limit
   */
  public @Nullable Match find(byte[] text, int from, long maxNanos) {
    if (text.length > MAX_TEXT_BYTES) {
      throw new RegexException(
          Reason.TOO_LONG,
          "the text has more than " + MAX_TEXT_BYTES + " bytes, too many for a regular expression");
    }
    Matcher matcher = regex.matcher(text, 0, text.length, maxNanos);
    int found;
    try {
      found = matcher.searchInterruptible(from, text.length, Option.NONE);
    } catch (InterruptedException ended) {
      // The library's timeout signal. A real interrupt stays set, for the caller to see.
      throw new RegexException(Reason.TIMEOUT, "the search exceeded its time limit");
    } catch (StackOverflowError e) {
      throw new RegexException(Reason.TIMEOUT, "the search is nested too deeply");
    }
    if (found < 0) {
      return null;
    }
    Region region = matcher.getEagerRegion();
    List<Integer> starts = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < region.getNumRegs(); i++) {
      starts.add(region.getBeg(i));
      ends.add(region.getEnd(i));
    }
    return new Match(starts, ends);
  }

  /** Whether it matches at any position; see {@link #find}. */
  public boolean isIn(String text, long maxNanos) {
    return find(text.getBytes(StandardCharsets.UTF_8), 0, maxNanos) != null;
  }

  /**
   * Translates an ECMA-262 pattern: rewrites the syntax that the library interprets differently.
   */
  private static String ecma(String pattern) {
    StringBuilder out = new StringBuilder();
    boolean inSet = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length()) {
        i = escape(pattern, i + 1, inSet, out);
      } else if (inSet) {
        inSet = c != ']';
        // ECMA-262 has no nested sets or intersections.
        out.append(c == '[' || c == '&' ? "\\" : "").append(c);
      } else if (c == '[') {
        inSet = true;
        out.append(c);
        if (pattern.startsWith("^", i + 1)) {
          out.append('^');
          i++;
        }
        if (pattern.startsWith("]", i + 1)) {
          // An empty set matches nothing, a negated empty set matches any character.
          out.setLength(out.length() - (out.charAt(out.length() - 1) == '^' ? 2 : 1));
          out.append(pattern.charAt(i) == '^' ? "(?m:.)" : "(?!)");
          inSet = false;
          i++;
        }
      } else if (c == '^') {
        out.append("\\A");
      } else if (c == '$') {
        out.append("\\z");
      } else if (c == '.') {
        out.append("[^\\n\\r\u2028\u2029]");
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static int hex(String digits) {
    return digits.matches("[0-9a-fA-F]{1,6}") ? Integer.parseInt(digits, 16) : -1;
  }

  private static void literal(int point, StringBuilder out) {
    boolean plain = point >= 0x80 || Character.isLetterOrDigit(point) || point < ' ';
    out.append(plain ? "" : "\\").appendCodePoint(Math.min(point, Character.MAX_CODE_POINT));
  }

  /**
   * Writes the escape whose letter is at a position; returns the position of its last character.
   */
  private static int escape(String pattern, int at, boolean inSet, StringBuilder out) {
    char c = pattern.charAt(at);
    String set =
        switch (c) {
          case 'd', 'D' -> "0-9";
          case 'w', 'W' -> "a-zA-Z0-9_";
          case 's', 'S' -> SPACE;
          default -> "";
        };
    if (!set.isEmpty()) {
      boolean not = Character.isUpperCase(c);
      out.append(not ? "[^" + set + "]" : inSet ? set : "[" + set + "]");
      return at;
    }
    int point = -1;
    int end = at;
    if (c == 'u' && pattern.startsWith("{", at + 1) && pattern.indexOf('}', at) > 0) {
      end = pattern.indexOf('}', at);
      point = hex(pattern.substring(at + 2, end));
    } else if (c == 'u' && at + 4 < pattern.length()) {
      end = at + 4;
      point = hex(pattern.substring(at + 1, at + 5));
      boolean pair =
          point >= 0
              && Character.isHighSurrogate((char) point)
              && pattern.startsWith("\\u", end + 1);
      if (pair && end + 6 < pattern.length()) {
        int low = hex(pattern.substring(end + 3, end + 7));
        if (low >= 0 && Character.isLowSurrogate((char) low)) {
          point = Character.toCodePoint((char) point, (char) low);
          end += 6;
        }
      }
    } else if (c == 'x' && at + 2 < pattern.length()) {
      end = at + 2;
      point = hex(pattern.substring(at + 1, at + 3));
    } else if (c == 'c' && at + 1 < pattern.length()) {
      end = at + 1;
      point = pattern.charAt(at + 1) % 32;
    }
    if (point >= 0) {
      literal(point, out);
      return end;
    }
    boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == 'v') {
      out.append("\\x0B");
    } else if (letter && "bBfnrtpPk".indexOf(c) < 0) {
      // The library would read an escape here; in ECMA-262 it is the plain letter.
      out.append(c);
    } else {
      out.append('\\').append(c);
    }
    return at;
  }
}
