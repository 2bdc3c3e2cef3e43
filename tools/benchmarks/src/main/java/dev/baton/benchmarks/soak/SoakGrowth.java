/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The growth of a figure from the second to the last sample.
 *
 * @param label of the figure
 * @param unit of both values; empty for a ratio
 * @param second value of the second sample
 * @param last value of the last sample
 * @param limitPercent by how much it may grow; null: by any amount
 * @param ignored a growth of at most this does not count
 */
public record SoakGrowth(
    String label,
    String unit,
    double second,
    double last,
    @Nullable Integer limitPercent,
    double ignored) {
  /** A percentile of a few thousand steps scatters more than a median. */
  private static final int TAIL_FACTOR = 4;

  private static final String DATABASE = "postgres database";

  private static final double MEGABYTE = 1024.0 * 1024;

  /** Buffers and tables that grow by steps. */
  private static final double IGNORED_MB = 16;

  /**
   * Compares two samples: latency and throughput as ratios to the floor of the same time, so that a
   * slower minute of the machine does not count.
   *
   * @param limitPercent by how much a figure may grow
   * @param keepRuns whether the database keeps all runs, and has no limit
   */
  static List<SoakGrowth> of(
      SoakSample second, SoakSample last, int limitPercent, boolean keepRuns) {
    List<SoakGrowth> all = new ArrayList<>();
    all.add(
        new SoakGrowth(
            "step p50 to the floor",
            "",
            second.p50Ms() / second.floor().p50Ms(),
            last.p50Ms() / last.floor().p50Ms(),
            limitPercent,
            0));
    all.add(
        new SoakGrowth(
            "step p99 to the floor",
            "",
            second.p99Ms() / second.floor().p99Ms(),
            last.p99Ms() / last.floor().p99Ms(),
            limitPercent * TAIL_FACTOR,
            0));
    all.add(
        new SoakGrowth(
            "appends/s of the floor to steps/s",
            "",
            second.floor().appendsPerS() / second.stepsPerS(),
            last.floor().appendsPerS() / last.stepsPerS(),
            limitPercent,
            0));
    parts(all, "RSS", second.rss(), last.rss(), limitPercent, "");
    parts(all, "PSS", second.pss(), last.pss(), limitPercent, "");
    parts(all, "heap", second.heap(), last.heap(), limitPercent, "");
    parts(all, "disk", second.disk(), last.disk(), limitPercent, keepRuns ? DATABASE : "");
    return all;
  }

  private static void parts(
      List<SoakGrowth> all,
      String kind,
      Map<String, Long> second,
      Map<String, Long> last,
      int limitPercent,
      String unlimited) {
    new TreeMap<>(last)
        .forEach(
            (part, bytes) ->
                all.add(
                    new SoakGrowth(
                        kind + ", " + part,
                        "MB",
                        second.getOrDefault(part, 0L) / MEGABYTE,
                        bytes / MEGABYTE,
                        unlimited.equals(part) ? null : limitPercent,
                        IGNORED_MB)));
  }

  double ratio() {
    return last / second;
  }

  /** Returns the ratio that is allowed. */
  Optional<Double> limit() {
    return Optional.ofNullable(limitPercent).map(percent -> 1 + percent / 100.0);
  }

  boolean isAbove() {
    return limitPercent != null
        && last > second * (1 + limitPercent / 100.0)
        && last - second > ignored;
  }

  /** Returns the figure and both values, for a message. */
  public String describe() {
    return String.format(
                Locale.ROOT, "%s %.2f times (%,.1f to %,.1f %s", label, ratio(), second, last, unit)
            .strip()
        + ")";
  }
}
