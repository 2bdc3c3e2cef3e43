/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.MachineCpuSample;
import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.SequentialRunResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one turn of one system. Milliseconds; keys of maps are parts of the system.
 *
 * @param runWallMs a complete sequential run, as seen by the client
 * @param stepsPerS the median of the bursts
 * @param sequentialFlushes disk flushes for each step of a sequential run; null when unknown
 * @param burstFlushes the same in bursts
 * @param sequentialCpuUs CPU time of each part for each step of a sequential run
 * @param burstCpuUs the same in bursts
 * @param elsewhere the share of the machine's CPU time used by others meanwhile, from 0 to 1; null
 *     when unknown
 */
public record StepsRoundResult(
    double p50Ms,
    double p99Ms,
    double meanMs,
    double runWallMs,
    double stepsPerS,
    double runP50Ms,
    double runP99Ms,
    double rssMb,
    double pssMb,
    Map<String, Double> rssMbByPart,
    @Nullable Double sequentialFlushes,
    @Nullable Double burstFlushes,
    Map<String, Double> sequentialCpuUs,
    Map<String, Double> burstCpuUs,
    @Nullable Double elsewhere) {

  private static final double MEGABYTE = 1024.0 * 1024;

  /** Runs the workload on the system and waits until all is done. */
  public static StepsRoundResult take(StepsSystem system, StepsWorkload work)
      throws IOException, InterruptedException {
    MachineCpuSample started = MachineCpuSample.now();
    ProcessFootprint start = system.footprint();
    long startFlushes = system.flushes().orElse(-1);
    List<SequentialRunResult> runs = new ArrayList<>();
    for (int i = 0; i < work.sequentialRuns(); i++) {
      runs.add(system.sequential(work.kind(), work.sequentialSteps()));
    }
    ProcessFootprint middle = system.footprint();
    long middleFlushes = system.flushes().orElse(-1);
    List<BurstResult> bursts = new ArrayList<>();
    for (int i = 0; i < work.bursts(); i++) {
      bursts.add(system.burst(work.kind(), work.burstRuns(), work.burstSteps()));
    }
    ProcessFootprint end = system.footprint();
    OptionalDouble elsewhere = MachineCpuSample.now().elsewhere(started, end.cpuMicrosSince(start));
    long endFlushes = system.flushes().orElse(-1);
    long sequentialSteps = (long) work.sequentialRuns() * work.sequentialSteps();
    long burstSteps = work.steps() - sequentialSteps;
    DurationDistribution steps =
        DurationDistribution.pooled(runs.stream().map(SequentialRunResult::steps).toList());
    DurationDistribution ends =
        DurationDistribution.pooled(bursts.stream().map(BurstResult::runs).toList());
    return new StepsRoundResult(
        steps.millis(50),
        steps.millis(99),
        steps.meanMillis(),
        MedianCalculator.of(runs, SequentialRunResult::runMillis),
        MedianCalculator.of(bursts, BurstResult::stepsPerSecond),
        ends.millis(50),
        ends.millis(99),
        end.rssMegabytes(),
        end.pssMegabytes(),
        megabytes(end),
        perStep(startFlushes, middleFlushes, sequentialSteps),
        perStep(middleFlushes, endFlushes, burstSteps),
        middle.cpuSince(start, sequentialSteps),
        end.cpuSince(middle, burstSteps),
        elsewhere.isPresent() ? elsewhere.getAsDouble() : null);
  }

  /** Returns the CPU time of all parts for each step of a sequential run, in microseconds. */
  public double sequentialCpuSum() {
    return sum(sequentialCpuUs);
  }

  /** The same in bursts. */
  public double burstCpuSum() {
    return sum(burstCpuUs);
  }

  private static double sum(Map<String, Double> parts) {
    return parts.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Returns one line with its figures, for progress. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "step p50 %.2f ms, p99 %.2f ms, %,.0f steps/s, %,.0f µs per step in a burst, run p50 %.0f"
            + " ms, p99 %.0f ms, %.0f MB, %s of the machine busy elsewhere",
        p50Ms,
        p99Ms,
        stepsPerS,
        burstCpuSum(),
        runP50Ms,
        runP99Ms,
        rssMb,
        elsewhere == null ? "?" : Math.round(elsewhere * 100) + "%");
  }

  private static @Nullable Double perStep(long before, long after, long steps) {
    return before < 0 || after < 0 ? null : (after - before) / (double) steps;
  }

  private static Map<String, Double> megabytes(ProcessFootprint footprint) {
    Map<String, Double> byPart = new TreeMap<>();
    footprint.rssBytes().forEach((part, bytes) -> byPart.put(part, bytes / MEGABYTE));
    return byPart;
  }
}
