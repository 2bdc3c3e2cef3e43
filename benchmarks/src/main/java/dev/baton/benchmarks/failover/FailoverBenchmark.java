/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.baton.EmbeddedStack;
import dev.baton.benchmarks.baton.RoundRuns;
import dev.baton.benchmarks.baton.RunnerProcess;
import dev.baton.benchmarks.measure.Distribution;
import dev.baton.benchmarks.measure.Machine;
import dev.baton.snapshot.posix.Signals;
import dev.baton.standalone.Component;
import dev.baton.standalone.Replica;
import dev.baton.standalone.Stack;
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

/** One stack with warm runners and one without; each scenario has runs of its own. */
public final class FailoverBenchmark {
  private static final int WARM = 2;
  private static final RoundRuns.Shape ROUND =
      new RoundRuns.Shape(200, Scenario.INTERVAL, Scenario.TIMEOUT);

  /** Many at once would miss heartbeats of a second for want of processors. */
  private static final RoundRuns.Shape MANY =
      new RoundRuns.Shape(20_000, Duration.ofSeconds(10), Duration.ofSeconds(60));

  /** What happens before anything is measured: servers compile, caches fill. */
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

  /** Waits until a later epoch is in a step. */
  private interface Gap {
    /**
     * @param struck when, by {@link System#nanoTime()}
     */
    long nanos(RoundRuns runs, String run, int epoch, long struck)
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
    // As a stack that is used has them; a process that is started here needs twice as long without.
    if (!Stack.makeAotCaches(folder.resolve("caches"), progress)) {
      throw new IOException("the AOT caches could not be made");
    }
    Instant at = Instant.now();
    if (wants(Scenario.WARM) || wants(Scenario.HANG) || wants(Scenario.REPLICA_LOST)) {
      try (EmbeddedStack stack = stack("warm", WARM);
          RoundRuns runs = RoundRuns.on(stack)) {
        if (wants(Scenario.WARM)) {
          one(runs, Scenario.WARM, options.kills(), WARM, FailoverBenchmark::kill, SINCE_STRUCK);
        }
        if (wants(Scenario.HANG)) {
          one(runs, Scenario.HANG, options.hangs(), WARM, FailoverBenchmark::hang, SINCE_STRUCK);
        }
        if (wants(Scenario.REPLICA_LOST)) {
          replicaLost(stack, runs);
        }
      }
    }
    if (wants(Scenario.COLD) || wants(Scenario.PLANNED) || wants(Scenario.HUNDRED)) {
      try (EmbeddedStack stack = stack("cold", 0);
          RoundRuns runs = RoundRuns.on(stack)) {
        if (wants(Scenario.COLD)) {
          one(runs, Scenario.COLD, options.kills(), 0, FailoverBenchmark::kill, SINCE_STRUCK);
        }
        if (wants(Scenario.PLANNED)) {
          one(
              runs,
              Scenario.PLANNED,
              options.handovers(),
              0,
              FailoverBenchmark::terminate,
              (of, run, epoch, struck) -> of.awaitTakeover(run, epoch));
        }
        if (wants(Scenario.HUNDRED)) {
          allAtOnce(runs);
        }
      }
    }
    return new FailoverResult(at, Machine.line(), options.seed(), rows);
  }

  private boolean wants(Scenario scenario) {
    return options.scenarios().contains(scenario);
  }

  private EmbeddedStack stack(String name, int warm) throws IOException, InterruptedException {
    Map<String, Map<String, String>> environment = new HashMap<>(options.environment());
    String orchestrator = Component.ORCHESTRATOR.label();
    Map<String, String> variables = new HashMap<>(environment.getOrDefault(orchestrator, Map.of()));
    variables.putIfAbsent("BATON_LAUNCHER_WARM_SIZE", Integer.toString(warm));
    environment.put(orchestrator, variables);
    return EmbeddedStack.start(folder.resolve(name), environment, progress);
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static void terminate(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
  }

  private static void hang(long pid) throws IOException {
    Signals.stop(pid);
  }

  /** One run whose runner is struck again and again, each time after it has completed a step. */
  private void one(RoundRuns runs, Scenario scenario, int samples, int idle, Blow blow, Gap gap)
      throws IOException, InterruptedException {
    String run = runs.start(ROUND, 1).getFirst();
    long[] micros = new long[samples];
    for (int i = -WARMUP; i < samples; i++) {
      if (i >= 0 && i % TOLD_EVERY == 0) {
        progress.accept("%s: %d of %d".formatted(scenario.label(), i, samples));
      }
      runs.awaitIdle(idle);
      RunnerProcess victim = working(runs, run);
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

  /** The run's runner, at some moment of a step after one that it has completed. */
  private RunnerProcess working(RoundRuns runs, String run)
      throws IOException, InterruptedException {
    while (true) {
      int epoch = runs.awaitWork(run);
      TimeUnit.MILLISECONDS.sleep(random.nextInt(ROUND.roundMillis()));
      Optional<RunnerProcess> carrier = runs.carrier(run, epoch);
      if (carrier.isPresent()) {
        return carrier.get();
      }
    }
  }

  /** Told at once, too: what comes after it may take long, or fail. */
  private void measured(Scenario scenario, long... micros) {
    FailoverResult.Row row = new FailoverResult.Row(scenario, Distribution.of(micros));
    rows.add(row);
    progress.accept(row.line());
  }

  private void replicaLost(EmbeddedStack stack, RoundRuns runs)
      throws IOException, InterruptedException {
    long[] micros = new long[options.losses()];
    for (int i = 0; i < micros.length; i++) {
      progress.accept("replica_lost: %d of %d".formatted(i, micros.length));
      List<String> started = new ArrayList<>();
      Replica second = stack.secondOrchestrator();
      RunnerProcess victim = startedBy(second, runs, started);
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
    measured(Scenario.REPLICA_LOST, micros);
  }

  /** Either replica may start a run's runner: runs are started until it was the second. */
  private RunnerProcess startedBy(Replica second, RoundRuns runs, List<String> started)
      throws IOException, InterruptedException {
    String instance = Files.readString(second.data().resolve("instance-id")).strip();
    for (int i = 0; i < MOST_STARTS; i++) {
      String run = runs.startAt(second, ROUND);
      started.add(run);
      RunnerProcess runner = working(runs, run);
      if (runner.instance().equals(instance)) {
        return runner;
      }
      runs.cancel(run);
    }
    throw new IOException("the second orchestrator starts no runner");
  }

  private void allAtOnce(RoundRuns runs) throws IOException, InterruptedException {
    progress.accept("hundred: %d runs begin".formatted(options.hundred()));
    List<String> all = runs.start(MANY, options.hundred());
    List<RunnerProcess> victims = new ArrayList<>();
    for (String run : all) {
      victims.add(working(runs, run));
    }
    progress.accept("hundred: all are killed");
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
    measured(Scenario.HUNDRED, micros);
  }
}
