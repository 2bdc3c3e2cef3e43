/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.log.LogAttempt;

/**
 * Selects lines of a run's log.
 *
 * @param epoch 0: from the first
 * @param line of that epoch; 0: from the first
 * @param step empty: all steps
 * @param visit 0: all visits
 * @param attempt 0: all attempts
 * @param sinceMicros since the epoch 1970; 0: no lower bound
 * @param untilMicros since the epoch 1970, exclusive; 0: no upper bound
 * @param tail only this many of the last lines; 0: from the position above
 * @param limit maximum lines in a response; 0: as many as fit
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

  /** Whether a line within these times may match. */
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
