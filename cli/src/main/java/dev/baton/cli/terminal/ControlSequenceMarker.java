/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks the control sequences that the command itself writes, such as colours, so that the stream
 * of a terminal passes them on and escapes every other control character. The mark contains a
 * random number drawn at start, so text from a server or a step cannot contain it.
 */
final class ControlSequenceMarker {
  static final char BEGIN = '\uFDD0';
  static final char END = '\uFDD1';

  /** Maximum length of a marked sequence, in characters. */
  static final int LONGEST = 96;

  static final String MARK =
      BEGIN + Long.toHexString(ThreadLocalRandom.current().nextLong() | Long.MIN_VALUE);
  private static final Pattern MARKED = Pattern.compile(MARK + "([^" + END + "]*)" + END);

  private ControlSequenceMarker() {}

  static String of(String sequence) {
    return MARK + sequence + END;
  }

  /** Removes the marks only: the text as a terminal gets it. */
  static String unmarked(String text) {
    return text.indexOf(BEGIN) < 0 ? text : MARKED.matcher(text).replaceAll("$1");
  }

  /** Removes the marked sequences: the text has its displayed width. */
  static String removed(String text) {
    return text.indexOf(BEGIN) < 0 ? text : MARKED.matcher(text).replaceAll("");
  }

  /**
   * Finds the end of a marked sequence.
   *
   * @return the index after it; -1 if none starts at {@code start}
   */
  static int end(String text, int start) {
    if (text.charAt(start) != BEGIN) {
      return -1;
    }
    Matcher marked = MARKED.matcher(text).region(start, text.length());
    return marked.lookingAt() ? marked.end() : -1;
  }
}
