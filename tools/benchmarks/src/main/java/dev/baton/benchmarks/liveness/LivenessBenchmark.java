/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.measure.ProcessUsageMeter;
import dev.baton.benchmarks.measure.ProcfsUsageReader;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Measures all sizes on one stack; each size has its own runs, which end before the next. */
public record LivenessBenchmark(LivenessOptions options, Path folder, Consumer<String> progress) {
  private static final String ORCHESTRATOR = StackComponent.ORCHESTRATOR.label();
  private static final int MEASURED_INTERVALS = 2;
  private static final Duration MARGIN = Duration.ofSeconds(20);
  private static final Duration BEFORE_DUE = Duration.ofSeconds(1);
  private static final double MEGABYTE = 1024.0 * 1024;

  public LivenessResult run() throws IOException, InterruptedException {
    List<LivenessResult.Size> sizes = new ArrayList<>();
    LivenessResult.Outage outage = null;
    long seconds = options.interval().toSeconds();
    try (BenchmarkStack stack =
        BenchmarkStack.start(folder.resolve("stack"), options.environment(), progress)) {
      for (int runs : options.runs()) {
        if (outage == null && options.outage().isPositive()) {
          outage = away(stack, runs);
          progress.accept(LivenessResult.line(outage));
        }
        LivenessResult.Size size = measure(stack, runs);
        sizes.add(size);
        // Each is printed at once, too: later measurements may take long, or fail.
        progress.accept(new LivenessResult(seconds, List.of(size), null).table());
      }
    }
    return new LivenessResult(seconds, sizes, outage);
  }

  /** Waits until each run has sent its first heartbeat. */
  private void awaitFirst(int runs) throws InterruptedException {
    progress.accept(runs + " runs start sending");
    TimeUnit.MILLISECONDS.sleep(options.interval().toMillis());
  }

  private LivenessResult.Outage away(BenchmarkStack stack, int runs)
      throws IOException, InterruptedException {
    try (HeartbeatLoadGenerator heartbeats =
            new HeartbeatLoadGenerator(stack.kafka(), runs, options.interval());
        SignalLatencyWatcher signals = new SignalLatencyWatcher(stack.kafka(), heartbeats)) {
      awaitFirst(runs);
      progress.accept("the orchestrator is killed");
      stack.killFor(StackComponent.ORCHESTRATOR, options.outage());
      progress.accept("the orchestrator is back");
      TimeUnit.MILLISECONDS.sleep(heartbeats.timeout().plus(options.interval()).toMillis());
      heartbeats.check();
      return new LivenessResult.Outage(runs, options.outage().toSeconds(), signals.falseAlarms());
    }
  }

  private LivenessResult.Size measure(BenchmarkStack stack, int runs)
      throws IOException, InterruptedException {
    try (HeartbeatLoadGenerator heartbeats =
            new HeartbeatLoadGenerator(stack.kafka(), runs, options.interval());
        SignalLatencyWatcher signals = new SignalLatencyWatcher(stack.kafka(), heartbeats)) {
      awaitFirst(runs);
      long pid = stack.pid(StackComponent.ORCHESTRATOR);
      ProcessUsageMeter clock = ProcessUsageMeter.start(pid);
      TimeUnit.MILLISECONDS.sleep(MEASURED_INTERVALS * options.interval().toMillis());
      ResourceUsage used = clock.stop();
      double rss =
          ProcfsUsageReader.of(Map.of(pid, ORCHESTRATOR)).rssBytes().getOrDefault(ORCHESTRATOR, 0L)
              / MEGABYTE;
      LivenessResult.Silence one = silence(heartbeats, signals, runs, 0, null);
      LivenessResult.Silence lost = null;
      if (options.replicas() == 2) {
        progress.accept("a second replica starts");
        ServiceReplica second = stack.secondOrchestrator();
        // Until it has its share of the partitions, and copies of the others.
        TimeUnit.MILLISECONDS.sleep(options.interval().toMillis());
        lost = silence(heartbeats, signals, runs, 1, second);
      }
      heartbeats.check();
      return new LivenessResult.Size(runs, 100 * used.cpuS() / used.wallS(), rss, one, lost);
    }
  }

  /**
   * @param turn selects other runs than the previous turn
   * @param victim is killed a second before the first of them is due
   */
  private LivenessResult.Silence silence(
      HeartbeatLoadGenerator heartbeats,
      SignalLatencyWatcher signals,
      int runs,
      int turn,
      @Nullable ServiceReplica victim)
      throws InterruptedException {
    BitSet silenced = new BitSet(runs);
    int apart = runs / options.silenced();
    for (int n = 0; n < options.silenced(); n++) {
      silenced.set(n * apart + turn);
    }
    progress.accept(options.silenced() + " of " + runs + " runs fall silent");
    heartbeats.silence(silenced);
    signals.expect(silenced);
    if (victim != null) {
      // Their last heartbeats are up to an interval old.
      TimeUnit.MILLISECONDS.sleep(
          heartbeats.timeout().minus(options.interval().dividedBy(2)).minus(BEFORE_DUE).toMillis());
      progress.accept("one of two replicas is killed");
      victim.kill();
    }
    return signals.await(heartbeats.timeout().plus(MARGIN));
  }
}
