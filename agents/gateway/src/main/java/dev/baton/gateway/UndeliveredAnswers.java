/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.journal.JournaledAnswer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the answers that closed sessions did not deliver, for the next session of the same step: an
 * agent that is restarted while its answer is coming does not pay for it again. Holds the newest
 * 64. Thread-safe.
 */
final class UndeliveredAnswers {
  private static final int MAX_ANSWERS = 64;

  private final Map<String, AnswerOccurrence> answers =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AnswerOccurrence> eldest) {
          return size() > MAX_ANSWERS;
        }
      };

  synchronized void keep(String step, AnswerOccurrence occurrence) {
    answers.put(name(step, occurrence.key()), occurrence);
  }

  synchronized @Nullable AnswerOccurrence take(String step, String key) {
    AnswerOccurrence occurrence = answers.remove(name(step, key));
    return occurrence == null || occurrence.progress().isFailed() ? null : occurrence;
  }

  /** Drops the answers that the next session finds in its journal. */
  synchronized void forget(String step, Collection<JournaledAnswer> journaled) {
    journaled.forEach(answer -> answers.remove(name(step, answer.key())));
  }

  private static String name(String step, String key) {
    return step + "\n" + key;
  }
}
