/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * The journaled answers that a resumed agent may request again, each once, in the order of the
 * journal. Not thread-safe.
 */
public final class ReplayIndex {
  private final Map<String, Deque<JournaledAnswer>> byKey = new HashMap<>();

  /**
   * @param answers since the newest boundary that a resume can start from, in the order of the
   *     journal; those that broke off are skipped
   */
  public ReplayIndex(Collection<JournaledAnswer> answers) {
    for (JournaledAnswer answer : answers) {
      if (answer.answer() != null) {
        byKey.computeIfAbsent(answer.key(), key -> new ArrayDeque<>()).add(answer);
      }
    }
  }

  /**
   * Takes the oldest answer of a key that is left; one with the same affinity comes first.
   *
   * @return empty when there is none
   */
  public Optional<JournaledAnswer> take(String key, String affinity) {
    Deque<JournaledAnswer> answers = byKey.get(key);
    if (answers == null || answers.isEmpty()) {
      return Optional.empty();
    }
    for (Iterator<JournaledAnswer> each = answers.iterator(); each.hasNext(); ) {
      JournaledAnswer answer = each.next();
      if (answer.affinity().equals(affinity)) {
        each.remove();
        return Optional.of(answer);
      }
    }
    return Optional.of(answers.removeFirst());
  }

  /**
   * The number of answers that an agent was expected to request again before a request of this
   * affinity: those that call tools, since only their results continue the conversation, and those
   * of requests with the same system prompt and tools. Others belong to calls outside the
   * conversation, for example for its title, which an agent does not repeat once it has them.
   */
  public int left(String affinity) {
    return (int)
        byKey.values().stream()
            .flatMap(Deque::stream)
            .filter(answer -> !answer.tools().isEmpty() || answer.affinity().equals(affinity))
            .count();
  }
}
