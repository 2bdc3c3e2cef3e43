/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a milestone's commit is called, now and by those who did it before. */
public final class MilestoneMessageCodec {
  /** Where squashing and listing put it: indented, or behind a bullet. */
  private static final String WITHIN = "(?m)^[\\s>*-]*";

  private static final Pattern UNNAMED =
      Pattern.compile("chore\\([a-z][a-z0-9_-]*\\): checkpoint milestone (\\d{1,9})");

  private MilestoneMessageCodec() {}

  /** The whole message. */
  public static String of(String run, int index) {
    return "chore(baton): checkpoint " + run + " milestone " + index;
  }

  /** The message without its number, as {@code git log --grep} finds it. */
  public static String beginning(String tool, String run) {
    return "chore(" + tool + "): checkpoint " + run + " milestone ";
  }

  /** The milestone of a run whose commit has this subject. */
  public static OptionalInt index(String tool, String run, String subject) {
    return number(Pattern.compile(Pattern.quote(beginning(tool, run)) + "(\\d{1,9})"), subject);
  }

  /** The milestone of no named run, as in repositories from before runs were named. */
  public static OptionalInt unnamedIndex(String subject) {
    return number(UNNAMED, subject);
  }

  /** Whether a message lists this milestone on a line of its own. */
  public static boolean lists(String run, int index, String message) {
    return Pattern.compile(WITHIN + Pattern.quote(of(run, index)) + "\\s*$", Pattern.MULTILINE)
        .matcher(message)
        .find();
  }

  /** Only at the subject's beginning; behind the number others may have added something. */
  private static OptionalInt number(Pattern pattern, String subject) {
    Matcher matcher = pattern.matcher(subject);
    if (!matcher.lookingAt()) {
      return OptionalInt.empty();
    }
    int end = matcher.end();
    boolean whole = end == subject.length() || !Character.isLetterOrDigit(subject.charAt(end));
    return whole ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
  }
}
