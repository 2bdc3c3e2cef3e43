/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.topic.DeadLetterReason;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters a page contains.
 *
 * @param run id of a run, or its last six characters; null: of all runs. Not resolved in the
 *     database: a record may be a dead letter because its run does not exist
 * @param topic from which the records were read; null: of all topics
 * @param after position of the last entry of the previous page; null: the first page
 * @param limit maximum number of entries, 1 to {@value #MOST}
 */
record DeadLetterQuery(
    @Nullable String run,
    @Nullable String topic,
    @Nullable DeadLetterReason reason,
    @Nullable DeadLetterPosition after,
    int limit) {
  static final int MOST = 1_000;
  private static final Pattern DISPLAY_ID = Pattern.compile("[0-9a-hjkmnp-tv-z]{6}");

  /**
   * Checks the parameters of a request.
   *
   * @throws ProblemException that names the parameter and what is allowed
   */
  static DeadLetterQuery parse(
      @Nullable String run,
      @Nullable String topic,
      @Nullable String reason,
      @Nullable String cursor,
      int limit) {
    if (run != null && !RunId.isValid(run) && !DISPLAY_ID.matcher(run).matches()) {
      throw bad("run=" + run, "a run id in lower case, or its last six characters");
    }
    if (topic != null && !TopicName.READ.contains(topic)) {
      throw bad("topic=" + topic, String.join(", ", TopicName.READ));
    }
    if (limit < 1 || limit > MOST) {
      throw bad("limit=" + limit, "1 to " + MOST);
    }
    DeadLetterReason wanted =
        reason == null
            ? null
            : DeadLetterReason.ofWord(reason)
                .orElseThrow(() -> bad("reason=" + reason, DeadLetterReason.words()));
    return new DeadLetterQuery(
        run, topic, wanted, cursor == null ? null : DeadLetterPosition.parse(cursor), limit);
  }

  /** Returns the dead-letter topics to read. */
  List<String> topics() {
    return topic == null
        ? TopicName.READ.stream().map(TopicName::deadLetters).toList()
        : List.of(TopicName.deadLetters(topic));
  }

  boolean matches(DeadLetterView letter) {
    return (reason == null || reason.word().equals(letter.reason()))
        && (run == null || isRun(run, letter));
  }

  /** Whether the key or the id of the record names the run. */
  private static boolean isRun(String run, DeadLetterView letter) {
    return isRun(run, letter.key()) || isRun(run, runOf(letter.id()));
  }

  private static @Nullable String runOf(@Nullable String id) {
    int slash = id == null ? -1 : id.indexOf('/');
    return id == null || slash < 0 ? null : id.substring(0, slash);
  }

  private static boolean isRun(String run, @Nullable String named) {
    return named != null && (named.equals(run) || (RunId.isValid(named) && named.endsWith(run)));
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
