/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import java.io.IOException;
import java.time.Duration;

/** A completed run that is forked repeatedly near its end. Not thread-safe. */
public final class ForkParentRun {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String LAST_LAP = "lap";

  private final Place place;
  private final String run;

  private ForkParentRun(Place place, String run) {
    this.place = place;
    this.run = run;
  }

  /**
   * Times of one fork, from its request.
   *
   * @param answeredMicros until the response
   * @param completedMicros until its end was read from the log
   */
  public record Times(long answeredMicros, long completedMicros) {}

  /** The stack in which runs and their forks execute. */
  public static final class Place implements AutoCloseable {
    private final BenchmarkApiClient api;
    private final RunTraceWatcher trace;

    private Place(BenchmarkStack stack) {
      api = new BenchmarkApiClient(stack.orchestrator(), stack.apiKey());
      trace = RunTraceWatcher.start(stack.kafka());
    }

    /**
     * Runs a parent to its end: one step that writes files, the given number of laps without files,
     * and two more steps.
     *
     * @throws IOException when it does not complete within ten minutes
     */
    public ForkParentRun run(int laps, int megabytes) throws IOException, InterruptedException {
      String run = api.run(api.workflow(yaml(laps, megabytes)));
      trace.completed(run, PATIENCE);
      return new ForkParentRun(this, run);
    }

    @Override
    public void close() {
      trace.close();
      api.close();
    }
  }

  public static Place on(BenchmarkStack stack) {
    return new Place(stack);
  }

  /**
   * Forks it after its last lap and waits for the fork's end.
   *
   * @throws IOException when the fork does not complete within ten minutes
   */
  public Times fork() throws IOException, InterruptedException {
    long start = System.nanoTime();
    String fork = place.api.fork(run, LAST_LAP);
    long answered = System.nanoTime();
    RunTrace trace = place.trace.completed(fork, PATIENCE);
    if (trace.stepEndMicros().size() != 2) {
      throw new IOException(
          "a fork completed " + trace.stepEndMicros().size() + " steps, not the 2 that are left");
    }
    return new Times((answered - start) / 1_000, (trace.endSeenNanos() - start) / 1_000);
  }

  private static String yaml(int laps, int megabytes) {
    return """
        name: fork-%1$d-%2$d
        steps:
          - id: files
            shell: for i in $(seq %2$d); do head -c 1048576 /dev/urandom > file$i; done
          - id: lap
            transform: (.steps.lap.output // 0) + 1
            next: [{when: .steps.lap.output < %1$d, to: lap}]
            max_visits: %3$d
          - {id: touch, shell: echo forked > touched}
          - {id: last, transform: .steps.lap.output}
        """
        .formatted(laps, megabytes, laps + 1);
  }
}
