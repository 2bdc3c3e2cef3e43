/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.workflow.DurationParser;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Selects records of the audit log, newest first. A null field does not filter.
 *
 * @param caller name or id of a key
 * @param run id, or the last six characters of it
 * @param limit of the page, and one more to see whether there is a next one
 */
record AuditQuery(
    @Nullable Instant since,
    @Nullable Instant until,
    @Nullable String caller,
    @Nullable String project,
    @Nullable String run,
    @Nullable String operation,
    @Nullable AuditOutcome outcome,
    @Nullable String cursor,
    int limit) {
  /** The most records of a page. */
  static final int MOST = 1_000;

  private static final int DISPLAY_LENGTH = 6;

  /** The unparsed parameters. */
  record Words(
      @Nullable String since,
      @Nullable String until,
      @Nullable String caller,
      @Nullable String project,
      @Nullable String run,
      @Nullable String operation,
      @Nullable String outcome,
      @Nullable String cursor,
      int limit) {}

  /**
   * @throws ProblemException that names the parameter and the allowed values
   */
  static AuditQuery of(Words words) {
    if (words.limit() < 1 || words.limit() > MOST) {
      throw bad("limit=" + words.limit(), "1 to " + MOST);
    }
    if (words.cursor() != null && !RunId.isValid(words.cursor())) {
      throw bad("cursor=" + words.cursor(), "the next_cursor of a page");
    }
    String run = words.run();
    if (run != null && !RunId.isValid(run) && run.length() != DISPLAY_LENGTH) {
      throw bad("run=" + run, "the id of a run (26 characters) or its last six characters");
    }
    String outcome = words.outcome();
    Instant now = Instant.now();
    return new AuditQuery(
        instant("since", words.since(), now),
        instant("until", words.until(), now),
        words.caller(),
        words.project(),
        run,
        words.operation(),
        outcome == null
            ? null
            : AuditOutcome.of(outcome)
                .orElseThrow(
                    () -> bad("outcome=" + outcome, String.join(", ", AuditOutcome.words()))),
        words.cursor(),
        words.limit() + 1);
  }

  /** Builds the conditions, and adds their parameters to the list. */
  String where(List<Object> parameters) {
    List<String> conditions = new ArrayList<>(List.of("true"));
    if (since != null) {
      add(conditions, parameters, "id >= $", RunId.firstOf(since), "");
    }
    if (until != null) {
      add(conditions, parameters, "id < $", RunId.firstOf(until), "");
    }
    if (cursor != null) {
      add(conditions, parameters, "id < $", cursor, "");
    }
    if (caller != null) {
      add(conditions, parameters, "$", caller, " IN (caller, key)");
    }
    if (project != null) {
      add(conditions, parameters, "projects @> $", new String[] {project}, "");
    }
    if (run != null && RunId.isValid(run)) {
      add(conditions, parameters, "runs @> $", new String[] {run}, "");
    } else if (run != null) {
      add(
          conditions,
          parameters,
          "EXISTS (SELECT 1 FROM unnest(runs) AS r WHERE right(r, 6) = $",
          run,
          ")");
    }
    if (operation != null) {
      add(conditions, parameters, "operation = $", operation, "");
    }
    if (outcome == AuditOutcome.UNKNOWN) {
      conditions.add("coalesce(outcome, 'unknown') = 'unknown'");
    } else if (outcome != null) {
      add(conditions, parameters, "outcome = $", outcome.word(), "");
    }
    return String.join(" AND ", conditions);
  }

  private static void add(
      List<String> conditions, List<Object> parameters, String before, Object value, String after) {
    parameters.add(value);
    conditions.add(before + parameters.size() + after);
  }

  private static @Nullable Instant instant(String name, @Nullable String text, Instant now) {
    if (text == null) {
      return null;
    }
    var back = DurationParser.parse(text);
    if (back.isPresent()) {
      return now.minus(back.get());
    }
    try {
      return Instant.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      throw bad(name + "=" + text, "how long ago (2h, 7d), or a moment (2030-01-31T12:00:00Z)");
    }
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
