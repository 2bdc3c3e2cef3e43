/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.util.Set;

/**
 * Decides which characters of untrusted text are shown unchanged. Not shown unchanged are
 * characters that control a terminal, that change the reading order of text, and that are
 * invisible. Joining characters are shown where a script or an emoji needs them.
 */
final class CharacterPolicy {
  private static final int ZWNJ = 0x200C;
  private static final int ZWJ = 0x200D;
  private static final int TEXT_STYLE = 0xFE0E;
  private static final int EMOJI_STYLE = 0xFE0F;
  private static final int KEYCAP = 0x20E3;

  /**
   * Limit of combining marks on one letter: more than any language uses would cover adjacent lines.
   */
  private static final int MOST_MARKS = 6;

  /** Characters of the categories letter, mark and symbol that are blank. */
  private static final Set<Integer> BLANK =
      Set.of(
          0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164,
          0xFFA0, 0x13441, 0x13442, 0x16FE4, 0x1D159);

  private static final Set<Character.UnicodeScript> JOINING =
      Set.of(
          Character.UnicodeScript.ARABIC,
          Character.UnicodeScript.SYRIAC,
          Character.UnicodeScript.NKO,
          Character.UnicodeScript.MANDAIC,
          Character.UnicodeScript.MONGOLIAN,
          Character.UnicodeScript.DEVANAGARI,
          Character.UnicodeScript.BENGALI,
          Character.UnicodeScript.GURMUKHI,
          Character.UnicodeScript.GUJARATI,
          Character.UnicodeScript.ORIYA,
          Character.UnicodeScript.TAMIL,
          Character.UnicodeScript.TELUGU,
          Character.UnicodeScript.KANNADA,
          Character.UnicodeScript.MALAYALAM,
          Character.UnicodeScript.SINHALA,
          Character.UnicodeScript.KHMER,
          Character.UnicodeScript.MYANMAR);

  private CharacterPolicy() {}

  /** Whether a character is always shown unchanged, independent of its neighbours. */
  static boolean isPlain(char c) {
    return (c >= ' ' && c <= '~')
        || c == '\n'
        || c == '\t'
        || (c >= 0xA0 && c < 0x300 && c != 0xAD);
  }

  /**
   * @param before the code point before it; -1 for none
   * @param after the code point after it; -1 for none
   * @param marks number of combining marks directly before it
   */
  static boolean isShown(int point, int before, int after, int marks) {
    if (point == '\n' || point == '\t') {
      return true;
    }
    if (BLANK.contains(point)) {
      return false;
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      case Character.FORMAT -> isJoiner(point) && joins(point, before, after);
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK ->
          isSelector(point) ? isStyle(point) && selects(before, after) : isMark(before, marks);
      default -> true;
    };
  }

  private static boolean isJoiner(int point) {
    return point == ZWJ || point == ZWNJ;
  }

  private static boolean joins(int point, int before, int after) {
    if (before < 0 || after < 0) {
      return false;
    }
    if (point == ZWJ
        && (Character.isExtendedPictographic(before)
            || Character.isEmojiModifier(before)
            || before == EMOJI_STYLE)
        && Character.isExtendedPictographic(after)) {
      return true;
    }
    Character.UnicodeScript script = Character.UnicodeScript.of(before);
    boolean inherited = script == Character.UnicodeScript.INHERITED && isMark(before);
    return (inherited || JOINING.contains(script))
        && JOINING.contains(Character.UnicodeScript.of(after))
        && (Character.isLetter(before) || isMark(before))
        && Character.isLetter(after);
  }

  private static boolean isSelector(int point) {
    return (point >= 0xFE00 && point <= EMOJI_STYLE) || (point >= 0xE0100 && point <= 0xE01EF);
  }

  /**
   * Whether a variation selector has an effect: after an emoji, or after an ASCII character of a
   * keycap sequence.
   */
  private static boolean selects(int before, int after) {
    return before > 0x7F ? Character.isEmoji(before) : before >= 0 && after == KEYCAP;
  }

  static boolean isMark(int point) {
    int type = point < 0 ? Character.UNASSIGNED : Character.getType(point);
    return type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.COMBINING_SPACING_MARK;
  }

  private static boolean isMark(int before, int marks) {
    return before >= 0 && before != '\n' && before != '\t' && before != ' ' && marks < MOST_MARKS;
  }

  private static boolean isStyle(int point) {
    return point == TEXT_STYLE || point == EMOJI_STYLE;
  }
}
