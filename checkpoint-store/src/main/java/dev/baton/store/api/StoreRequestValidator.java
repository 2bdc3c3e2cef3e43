/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.events.ReadYourWritesGuard;
import dev.baton.store.failure.StoreRequestException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Validates the values of requests. */
final class StoreRequestValidator {
  private StoreRequestValidator() {}

  static String run(String text) {
    try {
      return RunId.check(text);
    } catch (IllegalArgumentException e) {
      throw StoreRequestException.invalid(String.valueOf(e.getMessage()));
    }
  }

  /** Parses the ids of the events that the caller has already seen of this run. */
  static List<EventId> seen(String run, List<String> ids) {
    between("the number of seen events", ids.size(), 0, ReadYourWritesGuard.MOST);
    List<EventId> seen = new ArrayList<>();
    for (String text : new LinkedHashSet<>(ids)) {
      try {
        seen.add(EventId.parse(text));
      } catch (IllegalArgumentException e) {
        throw StoreRequestException.invalid(String.valueOf(e.getMessage()));
      }
      if (!seen.getLast().run().equals(run)) {
        throw StoreRequestException.invalid(
            "seen event '%s' is not of run %s".formatted(text, run));
      }
    }
    return seen;
  }

  static String checkpoint(String text) {
    if (!RunId.isValid(text)) {
      throw StoreRequestException.invalid(
          "checkpoint '%s' is not a ULID in lower case (26 characters)"
              .formatted(TextShortener.shorten(text, 64)));
    }
    return text;
  }

  /** Checks the checkpoints that a runner could not restore. */
  static Set<String> damaged(List<String> ids) {
    int most = TraceEvent.RunDegraded.MAX_DAMAGED;
    if (ids.size() > most) {
      throw StoreRequestException.invalid(
          "damaged has %d checkpoints, at most %d are allowed".formatted(ids.size(), most));
    }
    return ids.stream().map(StoreRequestValidator::checkpoint).collect(Collectors.toSet());
  }

  static long atLeastZero(String name, long value) {
    if (value < 0) {
      throw StoreRequestException.invalid(name + " is " + value + ", allowed is 0 or more");
    }
    return value;
  }

  static long between(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw StoreRequestException.invalid(
          "%s is %d, allowed is %d to %d".formatted(name, value, least, most));
    }
    return value;
  }
}
