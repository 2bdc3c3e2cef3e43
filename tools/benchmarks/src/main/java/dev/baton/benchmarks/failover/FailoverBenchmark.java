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
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.restate.RestateFailoverDriver;
import dev.baton.snapshot.posix.ProcessSuspender;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.jvm.InstallationLayout;
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
 * own runs. With another version to compare with there are two of each, whose failovers alternate.
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
  private static final int MOST_RESUMES = 10;
  private static final int TOLD_EVERY = 10;

  private static final Gap SINCE_STRUCK =
      (runs, run, epoch, struck) -> FailoverSample.of(struck, runs.awaitStep(run, epoch));

  private final FailoverOptions options;
  private final Path folder;
  private final Path packages;
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
    FailoverSample await(LoopingRunDriver runs, String run, int epoch, long struck)
        throws IOException, InterruptedException;
  }

  /**
   * @param folder for the data of the stacks; must exist, is not deleted
   * @param packages where npm's packages are kept between measurements
   * @param progress receives one line per event
   */
  public FailoverBenchmark(
      FailoverOptions options, Path folder, Path packages, Consumer<String> progress) {
    this.options = options;
    this.folder = folder;
    this.packages = packages;
    this.progress = progress;
    this.random = new Random(options.seed());
  }

  public FailoverResult run() throws IOException, InterruptedException {
    progress.accept("seed " + options.seed());
    makeCaches();
    Instant at = Instant.now();
    if (wants(FailoverScenario.WARM, FailoverScenario.HANG, FailoverScenario.REPLICA_LOST)) {
      onStacks("warm", WARM, this::warm);
    }
    if (wants(FailoverScenario.COLD, FailoverScenario.PLANNED, FailoverScenario.HUNDRED)) {
      onStacks("cold", 0, this::cold);
    }
    if (wants(FailoverScenario.RESTATE)) {
      restate();
    }
    return new FailoverResult(at, MachineDescription.line(), options.seed(), rows);
  }

  /** Not measured where Node or npm is missing. */
  private void restate() throws IOException, InterruptedException {
    Path data = Files.createDirectories(folder.resolve("restate"));
    Optional<RestateFailoverDriver> started =
        RestateFailoverDriver.start(packages, data, ROUND.roundMillis(), progress);
    if (started.isEmpty()) {
      return;
    }
    List<FailoverSample> samples = new ArrayList<>();
    try (RestateFailoverDriver restate = started.get()) {
      for (int i = -WARMUP; i < options.kills(); i++) {
        restate.begin();
        TimeUnit.MILLISECONDS.sleep(random.nextInt(ROUND.roundMillis()));
        FailoverSample sample = FailoverSample.whole(restate.kill());
        if (i >= 0) {
          samples.add(sample);
        }
      }
    }
    measured(FailoverScenario.RESTATE, FailoverVersion.THIS, samples);
  }

  /**
   * Creates the AOT caches of a stack in normal use: without them, processes take twice as long to
   * start.
   */
  private void makeCaches() throws IOException, InterruptedException {
    for (FailoverVersion version : versions()) {
      Path data = folder.resolve("caches-" + version.ordinal());
      if (!StandaloneStack.makeAotCaches(layout(version), data, progress)) {
        throw new IOException("the AOT caches could not be created");
      }
    }
  }

  private List<FailoverVersion> versions() {
    return options.against() == null
        ? List.of(FailoverVersion.THIS)
        : List.of(FailoverVersion.THIS, FailoverVersion.OTHER);
  }

  private InstallationLayout layout(FailoverVersion version) {
    return version == FailoverVersion.THIS
        ? InstallationLayout.find()
        : new InstallationLayout(Objects.requireNonNull(options.against()));
  }

  private interface Measurement {
    void on(List<FailoverSide> sides) throws IOException, InterruptedException;
  }

  private void onStacks(String name, int warm, Measurement measurement)
      throws IOException, InterruptedException {
    List<FailoverSide> sides = new ArrayList<>();
    try {
      for (FailoverVersion version : versions()) {
        BenchmarkStack stack = stack(layout(version), name + "-" + version.ordinal(), warm);
        sides.add(FailoverSide.of(version, stack));
      }
      measurement.on(sides);
    } finally {
      for (FailoverSide side : sides) {
        side.close();
      }
    }
  }

  private void warm(List<FailoverSide> sides) throws IOException, InterruptedException {
    alternate(
        sides, FailoverScenario.WARM, options.kills(), WARM, FailoverBenchmark::kill, SINCE_STRUCK);
    alternate(
        sides, FailoverScenario.HANG, options.hangs(), WARM, FailoverBenchmark::hang, SINCE_STRUCK);
    if (wants(FailoverScenario.REPLICA_LOST)) {
      for (FailoverSide side : sides) {
        replicaLost(side);
      }
    }
  }

  private void cold(List<FailoverSide> sides) throws IOException, InterruptedException {
    alternate(
        sides, FailoverScenario.COLD, options.kills(), 0, FailoverBenchmark::kill, SINCE_STRUCK);
    alternate(
        sides,
        FailoverScenario.PLANNED,
        options.handovers(),
        0,
        FailoverBenchmark::terminate,
        (of, run, epoch, struck) -> FailoverSample.whole(of.awaitTakeover(run, epoch)));
    if (wants(FailoverScenario.HUNDRED)) {
      for (FailoverSide side : sides) {
        allAtOnce(side);
      }
    }
  }

  private boolean wants(FailoverScenario... any) {
    return Stream.of(any).anyMatch(options.scenarios()::contains);
  }

  private BenchmarkStack stack(InstallationLayout layout, String name, int warm)
      throws IOException, InterruptedException {
    Map<String, Map<String, String>> environment = new HashMap<>(options.environment());
    String orchestrator = StackComponent.ORCHESTRATOR.label();
    Map<String, String> variables = new HashMap<>(environment.getOrDefault(orchestrator, Map.of()));
    variables.putIfAbsent("BATON_LAUNCHER_WARM_SIZE", Integer.toString(warm));
    environment.put(orchestrator, variables);
    return BenchmarkStack.start(layout, folder.resolve(name), environment, progress);
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

  /**
   * Hits the runner of one run on each side repeatedly, each time after it has completed a step;
   * the sides take turns and change their order.
   */
  private void alternate(
      List<FailoverSide> sides,
      FailoverScenario scenario,
      int samples,
      int idle,
      Blow blow,
      Gap gap)
      throws IOException, InterruptedException {
    if (!wants(scenario)) {
      return;
    }
    Map<FailoverSide, String> runs = new HashMap<>();
    Map<FailoverSide, List<FailoverSample>> taken = new HashMap<>();
    Map<FailoverSide, String> resumed = new HashMap<>();
    Map<FailoverSide, List<FailoverSample>> floors = new HashMap<>();
    for (FailoverSide side : sides) {
      runs.put(side, side.runs().start(ROUND, 1).getFirst());
      taken.put(side, new ArrayList<>());
      if (scenario == FailoverScenario.WARM) {
        resumed.put(side, pausedRun(side.runs()));
        floors.put(side, new ArrayList<>());
      }
    }
    for (int i = -WARMUP; i < samples; i++) {
      if (i >= 0 && i % TOLD_EVERY == 0) {
        progress.accept("%s: %d of %d".formatted(scenario.label(), i, samples));
      }
      for (FailoverSide side : i % 2 == 0 ? sides : sides.reversed()) {
        String run = Objects.requireNonNull(runs.get(side));
        side.runs().awaitIdle(idle);
        RunnerListEntry victim = working(side.runs(), run);
        long start = System.nanoTime();
        blow.strike(victim.pid());
        FailoverSample sample = gap.await(side.runs(), run, victim.epoch(), start);
        if (i >= 0) {
          Objects.requireNonNull(taken.get(side)).add(sample);
        }
        if (scenario == FailoverScenario.WARM) {
          FailoverSample floor = resume(side.runs(), Objects.requireNonNull(resumed.get(side)));
          if (i >= 0) {
            Objects.requireNonNull(floors.get(side)).add(floor);
          }
        }
      }
    }
    for (FailoverSide side : sides) {
      side.runs().cancel(Objects.requireNonNull(runs.get(side)));
      measured(scenario, side.version(), Objects.requireNonNull(taken.get(side)));
      if (scenario == FailoverScenario.WARM) {
        side.runs().cancel(Objects.requireNonNull(resumed.get(side)));
        measured(FailoverScenario.FLOOR, side.version(), Objects.requireNonNull(floors.get(side)));
      }
    }
  }

  private static String pausedRun(LoopingRunDriver runs) throws IOException, InterruptedException {
    String run = runs.startEmpty(ROUND);
    runs.awaitWork(run);
    runs.pause(run);
    return run;
  }

  /** Resumes a paused run without files on an idle runner, and pauses it again. */
  private static FailoverSample resume(LoopingRunDriver runs, String run)
      throws IOException, InterruptedException {
    for (int i = 0; i < MOST_RESUMES; i++) {
      int epoch = runs.awaitWork(run);
      runs.awaitIdle(WARM);
      runs.resume(run);
      FailoverSample sample = FailoverSample.afterAssignment(runs.awaitStep(run, epoch));
      runs.awaitWork(run);
      runs.pause(run);
      if (sample.whole() >= 0) {
        return sample;
      }
    }
    throw new IOException("no assignment of a resumed run was read before its runner's start");
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
  private void measured(
      FailoverScenario scenario, FailoverVersion version, List<FailoverSample> samples) {
    FailoverResult.Row row = FailoverResult.Row.of(scenario, version, samples);
    rows.add(row);
    progress.accept(row.line());
  }

  private void replicaLost(FailoverSide side) throws IOException, InterruptedException {
    LoopingRunDriver runs = side.runs();
    List<FailoverSample> samples = new ArrayList<>();
    for (int i = 0; i < options.losses(); i++) {
      progress.accept("replica_lost: %d of %d".formatted(i, options.losses()));
      List<String> started = new ArrayList<>();
      ServiceReplica second = side.stack().secondOrchestrator();
      RunnerListEntry victim = startedBy(second, runs, started);
      String hit = Objects.requireNonNull(victim.run());
      long replica = second.process().orElseThrow().pid();
      long start = System.nanoTime();
      kill(replica);
      kill(victim.pid());
      samples.add(SINCE_STRUCK.await(runs, hit, victim.epoch(), start));
      for (String run : started) {
        runs.cancel(run);
      }
    }
    measured(FailoverScenario.REPLICA_LOST, side.version(), samples);
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

  private void allAtOnce(FailoverSide side) throws IOException, InterruptedException {
    LoopingRunDriver runs = side.runs();
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
    List<FailoverSample> samples = new ArrayList<>();
    for (int i = 0; i < started.length; i++) {
      samples.add(SINCE_STRUCK.await(runs, all.get(i), victims.get(i).epoch(), started[i]));
    }
    for (String run : all) {
      runs.cancel(run);
    }
    measured(FailoverScenario.HUNDRED, side.version(), samples);
  }
}
