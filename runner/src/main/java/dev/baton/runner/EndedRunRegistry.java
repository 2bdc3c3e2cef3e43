/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.runner.attach.GatewayClient;
import dev.baton.runner.engine.RunAssignment;
import dev.baton.runner.engine.RunTaskOutcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Remembers which runs this process has executed up to which epoch, so that a late or repeated
 * assignment does not execute one again. Keeps the newest {@value #MOST} runs; a message is late by
 * seconds, and within them a process ends far fewer. Thread-safe.
 */
final class EndedRunRegistry {
  private static final Logger LOG = Logger.getLogger(EndedRunRegistry.class);
  private static final int MOST = 10_000;

  /** The newest epoch of a run that ended here, and how. */
  private record End(int epoch, RunTaskOutcome outcome) {}

  private final Map<String, End> ends =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, End> eldest) {
          return size() > MOST;
        }
      };

  synchronized void add(String run, int epoch, RunTaskOutcome outcome) {
    End before = ends.remove(run);
    ends.put(run, before != null && before.epoch > epoch ? before : new End(epoch, outcome));
  }

  /**
   * Returns how this epoch ended here: as it did, or fenced if a newer one has ended here; empty if
   * it may be executed.
   */
  private synchronized Optional<RunTaskOutcome> outcome(String run, int epoch) {
    End end = ends.get(run);
    if (end == null || end.epoch < epoch) {
      return Optional.empty();
    }
    return Optional.of(end.epoch == epoch ? end.outcome : RunTaskOutcome.FENCED);
  }

  /**
   * Repeats the release of an epoch that has ended here: its assignment was late, or the
   * orchestrator has missed the release. Executing it would repeat the effects of its steps, since
   * a first epoch does not request the run's state.
   *
   * @return false if the epoch may be executed
   */
  boolean releaseAgain(RunAssignment assignment, GatewayClient gateway) {
    Optional<RunTaskOutcome> outcome = outcome(assignment.run(), assignment.epoch());
    outcome.ifPresent(
        how -> {
          LOG.infof(
              "run %s: epoch %d has already ended here; released again as %s",
              assignment.run(), assignment.epoch(), how.word());
          gateway.release(assignment.run(), assignment.epoch(), how.word());
        });
    return outcome.isPresent();
  }
}
