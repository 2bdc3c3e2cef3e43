/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.DockerException;
import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
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

/**
 * Kills the containers of older epochs, each with all its processes, on threads of their own, and
 * reports a run as soon as Docker lists no live container of it. Thread-safe.
 */
final class OlderEpochKiller {
  private static final System.Logger LOG = System.getLogger(OlderEpochKiller.class.getName());

  /** Between two lists while a kill has no result. */
  private static final Duration POLL = Duration.ofMillis(500);

  private final DockerEngine engine;

  /** Whether this launcher watches a runner of the run. */
  private final Predicate<String> isKnown;

  OlderEpochKiller(DockerEngine engine, Predicate<String> isKnown) {
    this.engine = engine;
    this.isKnown = isKnown;
  }

  /** See {@link dev.baton.launcher.RunnerLauncher#kill(KillRequest, Consumer)}. */
  Set<String> kill(KillRequest request, Consumer<String> killed) {
    Set<String> left = new HashSet<>(request.below().keySet());
    BlockingQueue<String> ended = new LinkedBlockingQueue<>();
    Set<String> underWay = ConcurrentHashMap.newKeySet();
    long end = System.nanoTime() + request.patience().toNanos();
    while (true) {
      try {
        Map<String, List<DockerContainer>> live = live(request, left);
        for (String run : List.copyOf(left)) {
          if (!live.containsKey(run)) {
            left.remove(run);
            killed.accept(run);
          }
        }
        live.values().forEach(all -> all.forEach(one -> kill(one, underWay, ended)));
      } catch (LaunchException | DockerException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "older epochs of {0} runs: their containers cannot be listed, retrying: {1}",
            left.size(),
            e.getMessage());
        // Runs that never had a container here must not wait for Docker.
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

  /** Returns the live containers of older epochs, by run. */
  private Map<String, List<DockerContainer>> live(KillRequest request, Set<String> runs)
      throws LaunchException {
    Map<String, String> former = new HashMap<>();
    request.former().forEach((run, ids) -> ids.forEach(id -> former.put(id, run)));
    Map<String, List<DockerContainer>> live = new HashMap<>();
    for (DockerContainer container : engine.list()) {
      if (!container.isLive()) {
        continue;
      }
      String run = former.get(container.id());
      if (run == null && container.run() != null) {
        Integer below = request.below().get(container.run());
        run = below != null && container.epoch() < below ? container.run() : null;
      }
      if (run != null && runs.contains(run)) {
        live.computeIfAbsent(run, r -> new ArrayList<>()).add(container);
      }
    }
    return live;
  }

  private void kill(DockerContainer container, Set<String> underWay, BlockingQueue<String> ended) {
    if (!underWay.add(container.id())) {
      return;
    }
    Thread.ofVirtual()
        .name("kill-" + container.runner())
        .start(
            () -> {
              try {
                if (container.isCreated()) {
                  engine.remove(container.id()); // It has no process yet, and gets none.
                } else {
                  engine.signal(container.id(), "SIGKILL");
                }
              } catch (LaunchException | DockerException e) {
                LOG.log(
                    System.Logger.Level.WARNING,
                    "runner {0}: its container cannot be killed, retrying: {1}",
                    container.runner(),
                    e.getMessage());
              } finally {
                underWay.remove(container.id());
                ended.add(container.runner());
              }
            });
  }
}
