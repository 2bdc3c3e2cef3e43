/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import dev.baton.benchmarks.measure.ResourceUsage;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one round.
 *
 * @param wallS from the submit of all runs until the client has seen the last run's end
 * @param cpuByPart seconds of CPU time of the stack by part, until the last runner has ended
 * @param asRunner xargs with the command line of a runner
 * @param plain xargs with the script by itself
 * @param elsewhere the share of the machine's CPU time used by others during Baton's turn, from 0
 *     to 1; null when unknown
 */
record ShellsRoundResult(
    double wallS,
    Map<String, Double> cpuByPart,
    ResourceUsage asRunner,
    ResourceUsage plain,
    @Nullable Double elsewhere) {

  ShellsRoundResult {
    cpuByPart = Map.copyOf(cpuByPart);
  }

  double cpuS() {
    return cpuByPart.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  double wallRatio() {
    return wallS / asRunner.wallS();
  }

  double cpuRatio() {
    return cpuS() / asRunner.cpuS();
  }

  double plainWallRatio() {
    return wallS / plain.wallS();
  }

  double plainCpuRatio() {
    return cpuS() / plain.cpuS();
  }

  /**
   * Returns one line with its figures, for progress.
   *
   * @param steps number of all steps
   */
  String describe(int steps) {
    return String.format(
        Locale.ROOT,
        "baton %.1f s, %.1f s of processors, %,.0f steps/s; xargs %.1f s, %.1f s of processors; %s"
            + " of the machine busy elsewhere",
        wallS,
        cpuS(),
        steps / wallS,
        asRunner.wallS(),
        asRunner.cpuS(),
        elsewhere == null ? "?" : Math.round(elsewhere * 100) + "%");
  }
}
