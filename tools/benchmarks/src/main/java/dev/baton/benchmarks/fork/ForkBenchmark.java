/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.fork;

import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.ForkParentRun;
import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.MachineDescription;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Forks parents of different lengths and sizes in turn, so that none benefits from a warmer server.
 */
public record ForkBenchmark(ForkOptions options, Path folder, Consumer<String> progress) {
  /** Samples of one parent so far. */
  private static final class Samples {
    final ForkParentRun parent;
    final long[] answered;
    final long[] completed;
    long stored;

    Samples(ForkParentRun parent, int number) {
      this.parent = parent;
      answered = new long[number];
      completed = new long[number];
    }
  }

  public ForkResult run() throws IOException, InterruptedException {
    try (BenchmarkStack stack = BenchmarkStack.start(folder, Map.of(), progress);
        ForkParentRun.Place place = ForkParentRun.on(stack)) {
      List<Samples> all = new ArrayList<>();
      for (ForkOptions.Parent wanted : options.parents()) {
        progress.accept(
            "a parent of %,d steps and %,d MB".formatted(wanted.steps(), wanted.megabytes()));
        ForkParentRun parent = place.run(wanted.steps(), wanted.megabytes());
        parent.fork(); // Not measured: the first one fills caches that later ones use.
        all.add(new Samples(parent, options.samples()));
      }
      for (int i = 0; i < options.samples(); i++) {
        progress.accept("round " + (i + 1) + " of " + options.samples());
        for (Samples samples : all) {
          long before = DiskUsage.of(stack.objects()).bytes();
          ForkParentRun.Times times = samples.parent.fork();
          samples.answered[i] = times.answeredMicros();
          samples.completed[i] = times.completedMicros();
          samples.stored += DiskUsage.of(stack.objects()).bytes() - before;
        }
      }
      List<ForkResult.Row> rows = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        Samples samples = all.get(i);
        rows.add(
            new ForkResult.Row(
                options.parents().get(i),
                DurationDistribution.of(samples.answered),
                DurationDistribution.of(samples.completed),
                samples.stored / options.samples()));
      }
      return new ForkResult(Instant.now(), MachineDescription.line(), options.samples(), rows);
    }
  }
}
