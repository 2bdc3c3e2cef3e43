/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import dev.baton.benchmarks.baton.BatonSystem;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark;
import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import dev.baton.benchmarks.baton.LiveHeapReader;
import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.steps.StepsWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Executes bursts of steps on one stack, deletes the runs that have completed, and takes a sample
 * after each tenth of the steps.
 *
 * @param work the bursts, and the single runs of a sample
 * @param folder for the stack's data; must exist, is not deleted
 * @param progress receives one line per event
 */
public record SoakBenchmark(
    SoakOptions options, StepsWorkload work, Path folder, Consumer<String> progress) {
  private static final int SAMPLES = 10;
  private static final int LEAST_SAMPLES = 3;

  /** At most so many runs that have ended are kept for longer than a burst. */
  private static final int KEPT_RUNS = 1_000;

  private static final Duration DELETED_WITHIN = Duration.ofMinutes(5);
  private static final Duration SHOWN_EVERY = Duration.ofSeconds(10);
  private static final long LOOK_MS = 500;

  /**
   * Blocks until all steps are done or the time is over, and all started processes have stopped.
   *
   * @throws IOException when the stack cannot be started, a run fails, runs cannot be deleted, or
   *     the time is over before the third sample
   */
  public SoakResult run() throws IOException, InterruptedException {
    try (BenchmarkStack stack =
            BenchmarkStack.start(
                folder.resolve("baton"),
                SoakRetention.environment(folder, options.steps(), options.environment()),
                progress);
        BrokerFloorBenchmark floor = BrokerFloorBenchmark.start(stack.kafka());
        BatonSystem baton = BatonSystem.of(stack, false)) {
      return new SoakRun(stack, floor, baton).run();
    }
  }

  /** One measurement on a started stack. */
  private final class SoakRun {
    private final BenchmarkStack stack;
    private final BrokerFloorBenchmark floor;
    private final BatonSystem baton;
    private long runs;
    private long deleted;
    private int takenOver;
    private long shown = System.nanoTime();

    private SoakRun(BenchmarkStack stack, BrokerFloorBenchmark floor, BatonSystem baton) {
      this.stack = stack;
      this.floor = floor;
      this.baton = baton;
    }

    private SoakResult run() throws IOException, InterruptedException {
      for (int i = 0; i < options.warmup(); i++) {
        double stepsPerS = burst();
        show("warm-up: burst %d of %d, %,.0f steps/s", i + 1, options.warmup(), stepsPerS);
      }
      floor.measure();
      List<SoakSample> samples = new ArrayList<>();
      long start = System.nanoTime();
      long steps = 0;
      while (samples.size() < SAMPLES && !isOver(start)) {
        long wanted = options.steps() * (samples.size() + 1) / SAMPLES;
        List<Double> rates = new ArrayList<>();
        while (steps < wanted && !isOver(start)) {
          rates.add(burst());
          steps += (long) work.burstRuns() * work.burstSteps();
          show(
              "%,d of %,d steps, %,.0f steps/s; %,d ended runs are kept",
              steps, options.steps(), rates.getLast(), runs - deleted);
        }
        if (!rates.isEmpty()) {
          samples.add(sample(steps, start, rates));
          progress.accept(SoakResult.row(samples.getLast()));
        }
      }
      long unread = stack.unreadRecords();
      if (unread > 0) {
        throw new IOException(
            unread + " records of the log expired before a service had read them");
      }
      if (samples.size() < LEAST_SAMPLES) {
        throw new IOException(
            "the time was over after " + steps + " steps, before the third sample; see --minutes");
      }
      return new SoakResult(
          Instant.now().truncatedTo(ChronoUnit.SECONDS),
          MachineDescription.line(),
          options.steps(),
          SoakRetention.partitionBytes(options.steps()),
          options.limit(),
          options.keepRuns(),
          takenOver,
          samples);
    }

    private boolean isOver(long start) {
      Duration most = options.most();
      return most != null && System.nanoTime() - start > most.toNanos();
    }

    /** Returns the steps per second of one burst; deletes runs afterwards. */
    private double burst() throws IOException, InterruptedException {
      BurstResult burst = baton.burst(work.kind(), work.burstRuns(), work.burstSteps());
      runs += work.burstRuns();
      if (burst.takenOver() > 0) {
        takenOver += burst.takenOver();
        progress.accept(burst.takenOver() + " runs have lost their runner and were continued");
      }
      if (!options.keepRuns() && runs - deleted >= KEPT_RUNS) {
        deleteRuns();
      }
      return burst.stepsPerSecond();
    }

    /** Also slows the bursts down to what the services can keep up with. */
    private void deleteRuns() throws IOException, InterruptedException {
      long end = System.nanoTime() + DELETED_WITHIN.toNanos();
      deleted += baton.deleteCompleted();
      while (runs - deleted >= KEPT_RUNS) {
        if (System.nanoTime() > end) {
          throw new IOException(
              runs - deleted + " ended runs could not be deleted within " + DELETED_WITHIN);
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        deleted += baton.deleteCompleted();
      }
    }

    private SoakSample sample(long steps, long start, List<Double> rates)
        throws IOException, InterruptedException {
      double seconds = (System.nanoTime() - start) / 1e9;
      Floor limits = floor.measure();
      List<DurationDistribution> single = new ArrayList<>();
      for (int i = 0; i < work.sequentialRuns(); i++) {
        single.add(baton.sequential(work.kind(), work.sequentialSteps()).steps());
        runs++;
      }
      DurationDistribution times = DurationDistribution.pooled(single);
      ProcessFootprint footprint = baton.footprint();
      return new SoakSample(
          steps,
          seconds,
          MedianCalculator.of(rates),
          times.millis(50),
          times.millis(99),
          limits,
          footprint.rssBytes(),
          footprint.pssBytes(),
          LiveHeapReader.bytes(stack.processes()),
          stack.diskBytes());
    }

    private void show(String format, Object... values) {
      long now = System.nanoTime();
      if (now - shown >= SHOWN_EVERY.toNanos()) {
        shown = now;
        progress.accept(String.format(Locale.ROOT, format, values));
      }
    }
  }
}
