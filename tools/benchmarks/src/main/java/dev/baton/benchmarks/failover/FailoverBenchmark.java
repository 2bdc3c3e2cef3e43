/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.LoopingRunDriver;
import dev.baton.benchmarks.baton.RunnerListEntry;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.snapshot.posix.ProcessSuspender;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Measures failovers on two stacks, one with warm runners and one without; each scenario has its
 * own runs.
 */
public final class FailoverBenchmark {
  private static final int WARM = 2;
  private static final LoopingRunDriver.Shape ROUND =
      new LoopingRunDriver.Shape(200, FailoverScenario.INTERVAL, FailoverScenario.TIMEOUT);

  /** For many runs at once, heartbeats of one second would be missed for lack of CPU time. */
  private static final LoopingRunDriver.Shape MANY =
      new LoopingRunDriver.Shape(20_000, Duration.ofSeconds(10), Duration.ofSeconds(60));

  /** Number of unmeasured failovers first: servers compile, caches fill. */
  private static final int WARMUP = 5;

  private static final int MOST_STARTS = 20;
  private static final int TOLD_EVERY = 10;

  private static final Gap SINCE_STRUCK =
      (runs, run, epoch, struck) -> runs.awaitStep(run, epoch) - struck;

  private final FailoverOptions options;
  private final Path folder;
  private final Consumer<String> progress;
  private final Random random;
  private final List<FailoverResult.Row> rows = new ArrayList<>();

  private interface Blow {
    void strike(long pid) throws IOException;
  }

  /** Waits until a later epoch executes a step. */
  private interface Gap {
    /**
     * @param struck when the fault happened, by {@link System#nanoTime()}
     */
    long nanos(LoopingRunDriver runs, String run, int epoch, long struck)
        throws IOException, InterruptedException;
  }

  public FailoverBenchmark(FailoverOptions options, Path folder, Consumer<String> progress) {
    this.options = options;
    this.folder = folder;
    this.progress = progress;
    this.random = new Random(options.seed());
  }

  public FailoverResult run() throws IOException, InterruptedException {
    progress.accept("seed " + options.seed());
    // Creates the AOT caches of a stack in normal use: without them, processes take twice as long
    // to start.
    if (!StandaloneStack.makeAotCaches(folder.resolve("caches"), progress)) {
      throw new IOException("the AOT caches could not be created");
    }
    Instant at = Instant.now();
    if (wants(FailoverScenario.WARM, FailoverScenario.HANG, FailoverScenario.REPLICA_LOST)) {
      try (BenchmarkStack stack = stack("warm", WARM);
          LoopingRunDriver runs = LoopingRunDriver.on(stack)) {
        one(
            runs,
            FailoverScenario.WARM,
            options.kills(),
            WARM,
            FailoverBenchmark::kill,
            SINCE_STRUCK);
        one(
            runs,
            FailoverScenario.HANG,
            options.hangs(),
            WARM,
            FailoverBenchmark::hang,
            SINCE_STRUCK);
        if (wants(FailoverScenario.REPLICA_LOST)) {
          replicaLost(stack, runs);
        }
      }
    }
    if (wants(FailoverScenario.COLD, FailoverScenario.PLANNED, FailoverScenario.HUNDRED)) {
      try (BenchmarkStack stack = stack("cold", 0);
          LoopingRunDriver runs = LoopingRunDriver.on(stack)) {
        one(runs, FailoverScenario.COLD, options.kills(), 0, FailoverBenchmark::kill, SINCE_STRUCK);
        one(
            runs,
            FailoverScenario.PLANNED,
            options.handovers(),
            0,
            FailoverBenchmark::terminate,
            (of, run, epoch, struck) -> of.awaitTakeover(run, epoch));
        if (wants(FailoverScenario.HUNDRED)) {
          allAtOnce(runs);
        }
      }
    }
    return new FailoverResult(at, MachineDescription.line(), options.seed(), rows);
  }

  private boolean wants(FailoverScenario... any) {
    return Stream.of(any).anyMatch(options.scenarios()::contains);
  }

  private BenchmarkStack stack(String name, int warm) throws IOException, InterruptedException {
    Map<String, Map<String, String>> environment = new HashMap<>(options.environment());
    String orchestrator = StackComponent.ORCHESTRATOR.label();
    Map<String, String> variables = new HashMap<>(environment.getOrDefault(orchestrator, Map.of()));
    variables.putIfAbsent("BATON_LAUNCHER_WARM_SIZE", Integer.toString(warm));
    environment.put(orchestrator, variables);
    return BenchmarkStack.start(folder.resolve(name), environment, progress);
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static void terminate(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
  }

  private static void hang(long pid) throws IOException {
    ProcessSuspender.stop(pid);
  }

  /** Hits the runner of one run repeatedly, each time after it has completed a step. */
  private void one(
      LoopingRunDriver runs, FailoverScenario scenario, int samples, int idle, Blow blow, Gap gap)
      throws IOException, InterruptedException {
    if (!wants(scenario)) {
      return;
    }
    String run = runs.start(ROUND, 1).getFirst();
    long[] micros = new long[samples];
    for (int i = -WARMUP; i < samples; i++) {
      if (i >= 0 && i % TOLD_EVERY == 0) {
        progress.accept("%s: %d of %d".formatted(scenario.label(), i, samples));
      }
      runs.awaitIdle(idle);
      RunnerListEntry victim = working(runs, run);
      long start = System.nanoTime();
      blow.strike(victim.pid());
      long micro = gap.nanos(runs, run, victim.epoch(), start) / 1_000;
      if (i >= 0) {
        micros[i] = micro;
      }
    }
    runs.cancel(run);
    measured(scenario, micros);
  }

  /** Returns the run's runner, at a random moment of a step after a completed one. */
  private RunnerListEntry working(LoopingRunDriver runs, String run)
      throws IOException, InterruptedException {
    while (true) {
      int epoch = runs.awaitWork(run);
      TimeUnit.MILLISECONDS.sleep(random.nextInt(ROUND.roundMillis()));
      Optional<RunnerListEntry> carrier = runs.carrier(run, epoch);
      if (carrier.isPresent()) {
        return carrier.get();
      }
    }
  }

  /** Printed at once, too: later measurements may take long, or fail. */
  private void measured(FailoverScenario scenario, long... micros) {
    FailoverResult.Row row = new FailoverResult.Row(scenario, DurationDistribution.of(micros));
    rows.add(row);
    progress.accept(row.line());
  }

  private void replicaLost(BenchmarkStack stack, LoopingRunDriver runs)
      throws IOException, InterruptedException {
    long[] micros = new long[options.losses()];
    for (int i = 0; i < micros.length; i++) {
      progress.accept("replica_lost: %d of %d".formatted(i, micros.length));
      List<String> started = new ArrayList<>();
      ServiceReplica second = stack.secondOrchestrator();
      RunnerListEntry victim = startedBy(second, runs, started);
      String hit = Objects.requireNonNull(victim.run());
      long replica = second.process().orElseThrow().pid();
      long start = System.nanoTime();
      kill(replica);
      kill(victim.pid());
      micros[i] = (runs.awaitStep(hit, victim.epoch()) - start) / 1_000;
      for (String run : started) {
        runs.cancel(run);
      }
    }
    measured(FailoverScenario.REPLICA_LOST, micros);
  }

  /** Starts runs until the second replica has started the runner of one, since either may. */
  private RunnerListEntry startedBy(
      ServiceReplica second, LoopingRunDriver runs, List<String> started)
      throws IOException, InterruptedException {
    String instance = Files.readString(second.data().resolve("instance-id")).strip();
    for (int i = 0; i < MOST_STARTS; i++) {
      String run = runs.startAt(second, ROUND);
      started.add(run);
      RunnerListEntry runner = working(runs, run);
      if (runner.instance().equals(instance)) {
        return runner;
      }
      runs.cancel(run);
    }
    throw new IOException("the second orchestrator starts no runner");
  }

  private void allAtOnce(LoopingRunDriver runs) throws IOException, InterruptedException {
    progress.accept("hundred: %d runs begin".formatted(options.hundred()));
    List<String> all = runs.start(MANY, options.hundred());
    List<RunnerListEntry> victims = new ArrayList<>();
    for (String run : all) {
      victims.add(working(runs, run));
    }
    progress.accept("hundred: all runners are killed");
    long[] started = new long[victims.size()];
    for (int i = 0; i < started.length; i++) {
      started[i] = System.nanoTime();
      kill(victims.get(i).pid());
    }
    long[] micros = new long[started.length];
    for (int i = 0; i < started.length; i++) {
      micros[i] = (runs.awaitStep(all.get(i), victims.get(i).epoch()) - started[i]) / 1_000;
    }
    for (String run : all) {
      runs.cancel(run);
    }
    measured(FailoverScenario.HUNDRED, micros);
  }
}
