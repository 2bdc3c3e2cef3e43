/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.standalone.ServiceReplica;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Drives runs that loop until they are cancelled, with steps that write a file, so that their
 * runners can be killed or stopped meanwhile. Not thread-safe.
 */
public final class LoopingRunDriver implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);

  private final String key;
  private final BenchmarkApiClient api;
  private final RunEpochWatcher trace;

  private LoopingRunDriver(BenchmarkStack stack) {
    key = stack.apiKey();
    api = new BenchmarkApiClient(stack.orchestrator(), key);
    trace = RunEpochWatcher.start(stack.kafka());
  }

  public static LoopingRunDriver on(BenchmarkStack stack) {
    return new LoopingRunDriver(stack);
  }

  /**
   * Duration of a round, and the timing of heartbeats.
   *
   * @param roundMillis of one step
   * @param interval between two heartbeats
   * @param timeout after which a silent runner is signalled
   */
  public record Shape(int roundMillis, Duration interval, Duration timeout) {
    /** Fills in the milliseconds of a step and of heartbeats, then the step in seconds. */
    private String fill(String definition) {
      return definition.formatted(
          roundMillis,
          interval.toMillis(),
          timeout.toMillis(),
          roundMillis / 1_000,
          roundMillis % 1_000);
    }
  }

  /** Starts the given number of runs by one request. */
  public List<String> start(Shape shape, int count) throws IOException, InterruptedException {
    return api.batch(api.workflow(yaml(shape)), count);
  }

  /** Starts a run with the same rounds, but without files. */
  public String startEmpty(Shape shape) throws IOException, InterruptedException {
    return api.run(api.workflow(emptyYaml(shape)));
  }

  /**
   * Pauses a run, and waits until its runner is released.
   *
   * @throws IOException when it is not within ten minutes
   */
  public void pause(String run) throws IOException, InterruptedException {
    api.pause(run);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!api.status(run).equals("paused")
        || api.runners().stream().anyMatch(runner -> runner.isOf(run))) {
      if (System.nanoTime() > end) {
        throw new IOException("run " + run + " is not paused within " + PATIENCE);
      }
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
    }
  }

  /** Resumes a paused run. */
  public void resume(String run) throws IOException, InterruptedException {
    api.resume(run);
  }

  /**
   * Starts a run through another replica: the replica that receives the request is the first to
   * select a runner.
   */
  public String startAt(ServiceReplica replica, Shape shape)
      throws IOException, InterruptedException {
    try (BenchmarkApiClient at = new BenchmarkApiClient(URI.create(replica.url()), key)) {
      return at.run(at.workflow(yaml(shape)));
    }
  }

  public void cancel(String run) throws IOException, InterruptedException {
    api.cancel(run);
  }

  /**
   * Waits until the run's newest epoch has completed a step and is in another, so that a fault hits
   * a run that makes progress.
   *
   * @return the epoch
   * @throws IOException when it does not within ten minutes
   */
  public int awaitWork(String run) throws IOException, InterruptedException {
    return trace.await(run, newest -> newest.completed() > 0, PATIENCE).epoch();
  }

  /**
   * Waits until an epoch after this one has started a step.
   *
   * @return when that and what led to it was read
   * @throws IOException when none does within ten minutes
   */
  public TakeoverTimes awaitStep(String run, int after) throws IOException, InterruptedException {
    return trace.await(run, newest -> newest.epoch() > after, PATIENCE).takeover();
  }

  /**
   * Waits like {@link #awaitStep}.
   *
   * @return the downtime of the run in nanoseconds: from the last step completed before, as read
   *     from the log
   */
  public long awaitTakeover(String run, int after) throws IOException, InterruptedException {
    return trace.await(run, newest -> newest.epoch() > after, PATIENCE).stoodNanos();
  }

  /** Waits until the given number of warm runners is attached and idle. */
  public void awaitIdle(int count) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (api.runners().stream().filter(RunnerListEntry::isIdle).count() < count) {
      if (System.nanoTime() > end) {
        throw new IOException("no " + count + " warm runners are idle within " + PATIENCE);
      }
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
    }
  }

  /** The process that executes the run's epoch, while it exists. */
  public Optional<RunnerListEntry> carrier(String run, int epoch)
      throws IOException, InterruptedException {
    return api.runners().stream().filter(runner -> runner.carries(run, epoch)).findFirst();
  }

  @Override
  public void close() throws InterruptedException {
    trace.close();
    api.close();
  }

  private static String yaml(Shape shape) {
    return shape.fill(
        """
        name: round-%1$d-%2$d-%3$d
        heartbeat: {interval: %2$dms, timeout: %3$dms}
        steps:
          - {id: files, shell: head -c 1048576 /dev/urandom > file}
          - id: round
            shell: sleep %4$d.%5$03d; echo $BATON_EPOCH > round
            next: [{to: round}]
            max_visits: 1000000
        """);
  }

  static String emptyYaml(Shape shape) {
    return shape.fill(
        """
        name: empty-%1$d-%2$d-%3$d
        heartbeat: {interval: %2$dms, timeout: %3$dms}
        steps:
          - id: round
            shell: sleep %4$d.%5$03d
            workspace: none
            next: [{to: round}]
            max_visits: 1000000
        """);
  }
}
