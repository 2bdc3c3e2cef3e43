/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import java.util.List;
import java.util.stream.Stream;

/**
 * A violated guarantee.
 *
 * @param run the run
 * @param says describes the violation
 * @param events records of the log: partition, offset, id and type
 * @param ledger lines, each with its number
 * @param answers API responses
 */
public record InvariantViolation(
    String run, String says, List<String> events, List<String> ledger, List<String> answers) {
  /** Copies the lists. */
  public InvariantViolation {
    events = List.copyOf(events);
    ledger = List.copyOf(ledger);
    answers = List.copyOf(answers);
  }

  static InvariantViolation of(String run, String says) {
    return new InvariantViolation(run, says, List.of(), List.of(), List.of());
  }

  InvariantViolation with(LoggedRecord... records) {
    return new InvariantViolation(
        run, says, join(events, Stream.of(records).map(LoggedRecord::place)), ledger, answers);
  }

  InvariantViolation with(LedgerEffect... effects) {
    Stream<String> lines = Stream.of(effects).map(effect -> effect.line() + ": " + effect.text());
    return new InvariantViolation(run, says, events, join(ledger, lines), answers);
  }

  InvariantViolation with(ApiResponseRecord answer) {
    String told =
        "%d-%d ms %s %d status=%s epoch=%s completed_steps=%s"
            .formatted(
                answer.askedMs(),
                answer.answeredMs(),
                answer.request(),
                answer.status(),
                answer.body().path("status").asText(),
                answer.body().path("epoch").asText(),
                answer.body().path("completed_steps").asText());
    return new InvariantViolation(run, says, events, ledger, join(answers, Stream.of(told)));
  }

  private static List<String> join(List<String> first, Stream<String> more) {
    return Stream.concat(first.stream(), more).toList();
  }
}
