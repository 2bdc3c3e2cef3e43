/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.topic.TopicName;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * A position in all dead-letter topics together, newest first: by the broker's time, then by topic,
 * partition and offset. As a text it is the {@code next_cursor} of a page.
 *
 * @param time milliseconds since 1970
 * @param partition of a dead-letter topic
 */
record DeadLetterPosition(long time, TopicPartition partition, long offset)
    implements Comparable<DeadLetterPosition> {
  private static final Pattern TEXT =
      Pattern.compile("([0-9]{1,15}):([a-z]{1,20}):([0-9]{1,9}):([0-9]{1,18})");
  private static final String PREFIX = "baton.";

  private static final Comparator<DeadLetterPosition> NEWEST_FIRST =
      Comparator.comparingLong(DeadLetterPosition::time)
          .thenComparing(position -> position.partition().topic())
          .thenComparingInt(position -> position.partition().partition())
          .thenComparingLong(DeadLetterPosition::offset)
          .reversed();

  /**
   * Parses the text of a position.
   *
   * @throws ProblemException when it is none
   */
  static DeadLetterPosition parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches() || !TopicName.READ.contains(PREFIX + matcher.group(2))) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "cursor='%s' is not allowed; allowed: the next_cursor of another page".formatted(text));
    }
    return new DeadLetterPosition(
        Long.parseLong(matcher.group(1)),
        new TopicPartition(
            TopicName.deadLetters(PREFIX + matcher.group(2)), Integer.parseInt(matcher.group(3))),
        Long.parseLong(matcher.group(4)));
  }

  @Override
  public int compareTo(DeadLetterPosition other) {
    return NEWEST_FIRST.compare(this, other);
  }

  @Override
  public String toString() {
    String topic = partition.topic();
    return "%d:%s:%d:%d"
        .formatted(
            time,
            topic.substring(PREFIX.length(), topic.indexOf('.', PREFIX.length())),
            partition.partition(),
            offset);
  }
}
