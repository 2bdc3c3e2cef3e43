/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.SequentialRunResult;
import dev.baton.benchmarks.steps.MeasuredStepKind;
import dev.baton.benchmarks.steps.StepsSystem;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Baton: an orchestrator, and the Kafka with its trace. */
public final class BatonSystem implements StepsSystem {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final BenchmarkApiClient api;
  private final RunTraceWatcher trace;
  private final @Nullable BenchmarkStack stack;
  private final boolean submitEach;
  private final Map<String, String> workflows = new HashMap<>();

  private BatonSystem(
      BenchmarkApiClient api, String kafka, @Nullable BenchmarkStack stack, boolean submitEach) {
    this.api = api;
    this.trace = RunTraceWatcher.start(kafka);
    this.stack = stack;
    this.submitEach = submitEach;
  }

  /** Measures a given stack, which the caller controls. */
  public static BatonSystem of(BenchmarkStack stack, boolean submitEach) {
    BenchmarkApiClient api =
        new BenchmarkApiClient(stack.orchestrator(), stack.apiKey(), stack.clientTls());
    return new BatonSystem(api, stack.kafka(), stack, submitEach);
  }

  /**
   * Measures a running server, whose memory and disk usage are unknown; its API key is in {@code
   * BATON_API_KEY}.
   */
  public static BatonSystem given(URI server, String kafka, boolean submitEach) {
    String key = System.getenv().getOrDefault("BATON_API_KEY", "");
    return new BatonSystem(new BenchmarkApiClient(server, key), kafka, null, submitEach);
  }

  @Override
  public String name() {
    return "baton";
  }

  @Override
  public SequentialRunResult sequential(MeasuredStepKind kind, int steps)
      throws IOException, InterruptedException {
    String workflow = stored(NoOpWorkflowFactory.yaml(kind, steps));
    long start = System.nanoTime();
    RunTrace run = trace.completed(api.run(workflow), PATIENCE);
    check(run, steps);
    return new SequentialRunResult(run.stepTimes(), (run.endSeenNanos() - start) / 1e6);
  }

  @Override
  public BurstResult burst(MeasuredStepKind kind, int runs, int steps)
      throws IOException, InterruptedException {
    return burst(NoOpWorkflowFactory.yaml(kind, steps), runs, steps);
  }

  /**
   * Executes this number of runs of a workflow concurrently; returns when all have ended.
   *
   * @param yaml the workflow's definition
   * @param steps that each of its runs completes
   */
  public BurstResult burst(String yaml, int runs, int steps)
      throws IOException, InterruptedException {
    String workflow = stored(yaml);
    long start = System.nanoTime();
    List<String> ids = submitEach ? api.runs(workflow, runs) : api.batch(workflow, runs);
    long[] took = new long[runs];
    long last = start;
    int takenOver = 0;
    for (int i = 0; i < runs; i++) {
      RunTrace run = trace.completed(ids.get(i), PATIENCE);
      check(run, steps);
      took[i] = (run.endSeenNanos() - start) / 1000;
      last = Math.max(last, run.endSeenNanos());
      takenOver += run.takeovers() == 0 ? 0 : 1;
    }
    return new BurstResult(
        DurationDistribution.of(took), (double) runs * steps / ((last - start) / 1e9), takenOver);
  }

  /** Requests the deletion of every completed run, and returns how many were deleted. */
  public int deleteCompleted() throws IOException, InterruptedException {
    return api.deleteCompleted();
  }

  @Override
  public ProcessFootprint footprint() throws IOException {
    return stack == null ? new ProcessFootprint(Map.of(), Map.of(), Map.of()) : stack.footprint();
  }

  @Override
  public OptionalLong flushes() throws IOException {
    return stack == null ? OptionalLong.empty() : OptionalLong.of(stack.traceBatches().batches());
  }

  @Override
  public void close() {
    trace.close();
    api.close();
  }

  private String stored(String yaml) throws IOException, InterruptedException {
    String known = workflows.get(yaml);
    if (known != null) {
      return known;
    }
    String stored = api.workflow(yaml);
    workflows.put(yaml, stored);
    return stored;
  }

  /** The trace also has what a fenced runner completed, and what its replacement repeated. */
  private static void check(RunTrace run, int steps) throws IOException {
    int completed = run.stepEndMicros().size();
    if (completed < steps || completed > steps && run.takeovers() == 0) {
      throw new IOException("a run of " + steps + " steps completed " + completed + " of them");
    }
  }
}
