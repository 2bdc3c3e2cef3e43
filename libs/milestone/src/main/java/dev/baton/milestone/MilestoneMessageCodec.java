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

/** Formats and parses the commit messages of milestones, including those of earlier tools. */
public final class MilestoneMessageCodec {
  /** Prefixes that squashing and listing put before the message: indentation or a bullet. */
  private static final String WITHIN = "(?m)^[\\s>*-]*";

  private static final Pattern UNNAMED =
      Pattern.compile("chore\\([a-z][a-z0-9_-]*\\): checkpoint milestone (\\d{1,9})");

  private MilestoneMessageCodec() {}

  /** Returns the whole commit message. */
  public static String of(String run, int index) {
    return "chore(baton): checkpoint " + run + " milestone " + index;
  }

  /** Returns the message without its number, as the text for {@code git log --grep}. */
  public static String beginning(String tool, String run) {
    return "chore(" + tool + "): checkpoint " + run + " milestone ";
  }

  /** Parses the milestone number from a commit subject of this tool and run. */
  public static OptionalInt index(String tool, String run, String subject) {
    return number(Pattern.compile(Pattern.quote(beginning(tool, run)) + "(\\d{1,9})"), subject);
  }

  /** Parses the milestone number from a subject without a run id, as early versions wrote it. */
  public static OptionalInt unnamedIndex(String subject) {
    return number(UNNAMED, subject);
  }

  /** Whether a message contains this milestone on a line of its own. */
  public static boolean lists(String run, int index, String message) {
    return Pattern.compile(WITHIN + Pattern.quote(of(run, index)) + "\\s*$", Pattern.MULTILINE)
        .matcher(message)
        .find();
  }

  /** Matches only at the beginning of the subject; text after the number is allowed. */
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
