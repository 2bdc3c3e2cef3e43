/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.history.ApiResponseRecord;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that each API response about a run matches the run's state after some prefix of its
 * records, and that a response to a later request never matches only a shorter prefix.
 *
 * <p>The view may lag behind the log, so nothing else is required of the prefix. If several
 * prefixes match, the check uses the shortest: if that leads to a contradiction later, so does any
 * other.
 */
final class ApiPrefixConsistencyInvariant implements InvariantCheck {
  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "lost");

  private static final Set<ApiResponseRecord.Request> LOOKS =
      EnumSet.of(ApiResponseRecord.Request.RUN, ApiResponseRecord.Request.LIST);

  /** A response, and the shortest prefix that it matches. */
  private record Told(ApiResponseRecord answer, int prefix) {}

  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      List<ApiResponseRecord> asked =
          evidence.answers(reading.run()).stream()
              .filter(answer -> LOOKS.contains(answer.request()) && answer.status() == 200)
              .sorted(Comparator.comparingLong(ApiResponseRecord::askedMs))
              .toList();
      // Responses received so far; each is a lower bound for requests sent after it.
      PriorityQueue<Told> answered =
          new PriorityQueue<>(Comparator.comparingLong(told -> told.answer().answeredMs()));
      @Nullable Told newest = null;
      @Nullable ApiResponseRecord highest = null;
      for (ApiResponseRecord answer : asked) {
        findings.checked();
        while (!answered.isEmpty() && answered.element().answer().answeredMs() < answer.askedMs()) {
          Told told = answered.remove();
          newest = newest == null || told.prefix() > newest.prefix() ? told : newest;
          highest =
              highest == null || epoch(told.answer()) > epoch(highest) ? told.answer() : highest;
        }
        if (highest != null && epoch(answer) < epoch(highest)) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "the API returns an epoch below %d, which it returned before"
                          .formatted(epoch(highest)))
                  .with(highest)
                  .with(answer));
          break;
        }
        int found =
            shortest(reading.prefixes(), newest == null ? 0 : newest.prefix(), answer.body());
        if (found < 0) {
          findings.violated(contradiction(reading, newest, answer));
          break;
        }
        answered.add(new Told(answer, found));
      }
    }
  }

  private static int epoch(ApiResponseRecord answer) {
    return answer.body().path("epoch").asInt();
  }

  private static InvariantViolation contradiction(
      RunLogReplay reading, @Nullable Told newest, ApiResponseRecord answer) {
    if (newest == null || shortest(reading.prefixes(), 0, answer.body()) < 0) {
      return InvariantViolation.of(reading.run(), "the API returns a state that the run never had")
          .with(answer);
    }
    RunPrefix before = reading.prefixes().get(newest.prefix());
    return InvariantViolation.of(
            reading.run(), "the API returns an older state than before: " + before)
        .with(newest.answer())
        .with(answer);
  }

  private static int shortest(List<RunPrefix> prefixes, int from, JsonNode told) {
    for (int i = from; i < prefixes.size(); i++) {
      if (fits(prefixes.get(i), told)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean fits(RunPrefix prefix, JsonNode told) {
    String status = told.path("status").asText();
    String end = ENDED.contains(status) ? status : "";
    return prefix.epoch() == told.path("epoch").asInt()
        && prefix.completed() == told.path("completed_steps").asInt()
        && prefix.end().equals(end)
        && (!status.equals("waiting") || prefix.waits());
  }
}
