/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.log.LogAttempt;

/**
 * Which lines of a run's log are wanted.
 *
 * @param epoch 0: from the first
 * @param line of that epoch; 0: from the first
 * @param step empty: of all steps
 * @param visit 0: of all
 * @param attempt 0: of all
 * @param sinceMicros since 1970; 0: whenever it was
 * @param untilMicros since 1970, not included; 0: whenever it was
 * @param tail only the last so many of them; 0: from the place above
 * @param limit lines of an answer at most; 0: as many as fit
 */
public record LogQuery(
    String run,
    int epoch,
    long line,
    String step,
    int visit,
    int attempt,
    long sinceMicros,
    long untilMicros,
    long tail,
    long limit) {

  boolean wants(LogAttempt of) {
    return (step.isEmpty() || step.equals(of.step()))
        && (visit == 0 || visit == of.visit())
        && (attempt == 0 || attempt == of.attempt());
  }

  boolean wants(long micros) {
    return micros >= sinceMicros && (untilMicros == 0 || micros < untilMicros);
  }

  /** Whether something within these times may be wanted. */
  boolean wants(long first, long last) {
    return last >= sinceMicros && (untilMicros == 0 || first < untilMicros);
  }

  boolean wantsAllAttempts() {
    return step.isEmpty() && visit == 0 && attempt == 0;
  }

  LogQuery at(int otherEpoch, long otherLine) {
    return new LogQuery(
        run, otherEpoch, otherLine, step, visit, attempt, sinceMicros, untilMicros, 0, limit);
  }
}
