/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.fork;

import dev.baton.benchmarks.baton.EmbeddedStack;
import dev.baton.benchmarks.baton.ForkedRun;
import dev.baton.benchmarks.measure.DiskUse;
import dev.baton.benchmarks.measure.Distribution;
import dev.baton.benchmarks.measure.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Forks parents of different lengths and sizes, by turns, so that none has the warmer server. */
public final class ForkBenchmark {
  private final ForkOptions options;
  private final Path folder;
  private final Consumer<String> progress;

  /** What is known of one parent so far. */
  private static final class Samples {
    final ForkedRun parent;
    final long[] answered;
    final long[] completed;
    long stored;

    Samples(ForkedRun parent, int number) {
      this.parent = parent;
      answered = new long[number];
      completed = new long[number];
    }
  }

  public ForkBenchmark(ForkOptions options, Path folder, Consumer<String> progress) {
    this.options = options;
    this.folder = folder;
    this.progress = progress;
  }

  public ForkResult run() throws IOException, InterruptedException {
    try (EmbeddedStack stack = EmbeddedStack.start(folder, Map.of(), progress);
        ForkedRun.Place place = ForkedRun.on(stack)) {
      List<Samples> all = new ArrayList<>();
      for (ForkOptions.Parent wanted : options.parents()) {
        progress.accept(
            "a parent of %,d steps and %,d MB".formatted(wanted.steps(), wanted.megabytes()));
        ForkedRun parent = place.run(wanted.steps(), wanted.megabytes());
        parent.fork(); // Not measured: the first makes what later ones find.
        all.add(new Samples(parent, options.samples()));
      }
      for (int i = 0; i < options.samples(); i++) {
        progress.accept("round " + (i + 1) + " of " + options.samples());
        for (Samples samples : all) {
          long before = DiskUse.of(stack.objects()).bytes();
          ForkedRun.Times times = samples.parent.fork();
          samples.answered[i] = times.answeredMicros();
          samples.completed[i] = times.completedMicros();
          samples.stored += DiskUse.of(stack.objects()).bytes() - before;
        }
      }
      List<ForkResult.Row> rows = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        Samples samples = all.get(i);
        rows.add(
            new ForkResult.Row(
                options.parents().get(i),
                Distribution.of(samples.answered),
                Distribution.of(samples.completed),
                samples.stored / options.samples()));
      }
      return new ForkResult(Instant.now(), Machine.line(), options.samples(), rows);
    }
  }
}
