/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Kills the runners of older epochs in places where the end of a runner ends all its processes:
 * each on a thread of its own, repeated until the place lists no live runner of the run, which is
 * reported then. Thread-safe.
 */
public final class OlderEpochKiller {
  private static final System.Logger LOG = System.getLogger(OlderEpochKiller.class.getName());

  /** Between two lists while a kill has no result. */
  private static final Duration POLL = Duration.ofMillis(500);

  /**
   * A runner that has, or may get, a process.
   *
   * @param detail what the place needs to kill it, in its own form
   * @param run null for a runner of a pool
   */
  public record LiveRunner(
      String runner, String detail, String handle, @Nullable String run, int epoch) {}

  /** The live runners of an installation. Thread-safe. */
  public interface LiveRunners {
    /**
     * Returns them in one request.
     *
     * @throws LaunchException.UnavailableException when the place cannot be queried
     */
    List<LiveRunner> list() throws LaunchException.UnavailableException;

    /**
     * Ends a runner with everything in it. Repeated while the runner is listed.
     *
     * @throws LaunchException.UnavailableException when the place has not accepted it
     */
    void kill(LiveRunner runner) throws LaunchException.UnavailableException;
  }

  private final LiveRunners runners;

  /** Whether this launcher watches a runner of the run. */
  private final Predicate<String> isKnown;

  /**
   * @param isKnown whether a runner of this run is watched; a run that has none is not delayed by a
   *     place that does not answer
   */
  public OlderEpochKiller(LiveRunners runners, Predicate<String> isKnown) {
    this.runners = runners;
    this.isKnown = isKnown;
  }

  /** See {@link RunnerLauncher#kill(KillRequest, Consumer)}. */
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    Set<String> left = new HashSet<>(request.below().keySet());
    BlockingQueue<String> ended = new LinkedBlockingQueue<>();
    Set<String> underWay = ConcurrentHashMap.newKeySet();
    long end = System.nanoTime() + request.patience().toNanos();
    while (true) {
      try {
        Map<String, List<LiveRunner>> live = live(request, left);
        for (String run : List.copyOf(left)) {
          if (!live.containsKey(run)) {
            left.remove(run);
            killed.accept(run);
          }
        }
        live.values().forEach(all -> all.forEach(one -> kill(one, underWay, ended)));
      } catch (LaunchException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "older epochs of {0} runs: their runners cannot be listed, retrying: {1}",
            left.size(),
            e.getMessage());
        // Runs that never had a runner here must not wait for the place.
        for (String run : List.copyOf(left)) {
          if (!request.former().containsKey(run) && !isKnown.test(run)) {
            left.remove(run);
            killed.accept(run);
          }
        }
      }
      long nanos = end - System.nanoTime();
      if (left.isEmpty() || nanos <= 0) {
        return left;
      }
      try {
        ended.poll(Math.min(nanos, POLL.toNanos()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return left;
      }
    }
  }

  /** Returns the live runners of older epochs, by run. */
  private Map<String, List<LiveRunner>> live(KillRequest request, Set<String> runs)
      throws LaunchException.UnavailableException {
    Map<String, String> former = new HashMap<>();
    request.former().forEach((run, handles) -> handles.forEach(one -> former.put(one, run)));
    Map<String, List<LiveRunner>> live = new HashMap<>();
    for (LiveRunner runner : runners.list()) {
      String run = former.get(runner.handle());
      if (run == null && runner.run() != null) {
        Integer below = request.below().get(runner.run());
        run = below != null && runner.epoch() < below ? runner.run() : null;
      }
      if (run != null && runs.contains(run)) {
        live.computeIfAbsent(run, r -> new ArrayList<>()).add(runner);
      }
    }
    return live;
  }

  private void kill(LiveRunner runner, Set<String> underWay, BlockingQueue<String> ended) {
    if (!underWay.add(runner.handle())) {
      return;
    }
    Thread.ofVirtual()
        .name("kill-" + runner.runner())
        .start(
            () -> {
              try {
                runners.kill(runner);
              } catch (LaunchException e) {
                LOG.log(
                    System.Logger.Level.WARNING,
                    "runner {0}: it cannot be killed, retrying: {1}",
                    runner.runner(),
                    e.getMessage());
              } finally {
                underWay.remove(runner.handle());
                ended.add(runner.runner());
              }
            });
  }
}
