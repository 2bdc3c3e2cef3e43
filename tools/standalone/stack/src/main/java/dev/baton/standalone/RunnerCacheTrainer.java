/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.TrainingApiClient.RunStatus;
import dev.baton.standalone.jvm.AotCacheDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Creates the AOT cache of runners: executes a run on a stack whose runners record themselves.
 * Kills the first runner after its first checkpoint, so that the second one also restores; that one
 * exits normally and thus writes the cache. A killed JVM writes none.
 *
 * <p>The run captures and restores a tree, runs processes and branches, and then loops, for the
 * code between two steps.
 */
final class RunnerCacheTrainer {
  private static final Duration RUN_WITHIN = Duration.ofSeconds(150);
  private static final Duration CACHE_WITHIN = Duration.ofSeconds(90);
  private static final Duration POLL = Duration.ofMillis(50);

  private static final int FIRST_EPOCH = 1;

  /** The step during which the first runner is killed. */
  private static final String GATE = "gate";

  /** Each waits for the broker's disk, and the cache of a runner contains no profiles. */
  private static final int LAPS = 500;

  // Heartbeats: a runner that records itself on a busy machine may be late.
  private static final String WORKFLOW =
      """
      name: aot-training
      heartbeat: {interval: 10s, timeout: 60s}
      steps:
        - id: files
          shell: |
            set -e
            echo "$TEXT" > file
            folder=0
            while [ $folder -lt 30 ]; do
              inner=tree/$folder/inner
              mkdir -p $inner
              file=0
              while [ $file -lt 20 ]; do
                printf "%$((1 + 800 * file))s" "$folder" > $inner/$file
                file=$((file + 1))
              done
              ln -s 0 $inner/link
              ln $inner/1 $inner/same
              folder=$((folder + 1))
            done
            head -c 5242880 /dev/urandom > tree/large
            echo '[1, 2]'
          output: json
          env: {TEXT: "${{ .input.text }}"}
        - {id: gate, shell: '[ "$BATON_EPOCH" -gt 1 ] || sleep 600'}
        - id: each
          parallel:
            over: .steps.files.output
            steps:
              - {id: write, shell: 'cat file > "copy-$ITEM"', env: {ITEM: "${{ .run.branch.item }}"}}
              - {id: shape, transform: '{item: .run.branch.item, text: .input.text}'}
        - {id: soon, wait: 60ms}
        - id: lap
          transform: '(.steps.lap.output // 0) + 1'
          next: [{when: .steps.lap.output < LAPS, to: lap}]
          max_visits: LAPS
        - {id: total, when: '.steps.each.output | length > 1', transform: '[.steps.each.output[] | .item] | add'}
      """
          .replace("LAPS", Integer.toString(LAPS));

  private final TrainingApiClient api;
  private final Path cache;
  private final Path logs;
  private final long runEnd = System.nanoTime() + RUN_WITHIN.toNanos();

  private RunnerCacheTrainer(TrainingApiClient api, Path cache, Path logs) {
    this.api = api;
    this.cache = cache;
    this.logs = logs;
  }

  /**
   * Trains on a stack that is ready and whose runners write to the file. Blocks for at most four
   * minutes.
   *
   * @param stack with no idle runners, which would write to the file, too
   * @param cache the file of the cache, replaced if it exists; after a failure it may be incomplete
   * @param logs the folder of the runners' logs, named in errors
   * @throws IOException when the run fails, or the cache is not written in time; the run's runner
   *     is killed then
   */
  static void train(StandaloneStack stack, Path cache, Path logs)
      throws IOException, InterruptedException {
    AotCacheDirectory.delete(cache);
    try (TrainingApiClient api = new TrainingApiClient(stack.orchestratorUrl(), stack.apiKey())) {
      new RunnerCacheTrainer(api, cache, logs).train();
    }
  }

  private void train() throws IOException, InterruptedException {
    String run = api.start(WORKFLOW, Map.of("text", "hello"));
    try {
      awaitStep(run, GATE);
      api.runner(run, FIRST_EPOCH).ifPresent(ProcessHandle::destroyForcibly);
      ProcessHandle replacement = awaitReplacement(run);
      awaitEnd(run);
      awaitExit(replacement);
    } catch (IOException | InterruptedException | RuntimeException e) {
      kill(run, e);
      throw e;
    }
  }

  /** At a normal end the runner would write a cache of a part of the run, which takes long. */
  private void kill(String run, Exception failure) throws InterruptedException {
    try {
      api.runner(run, FIRST_EPOCH).ifPresent(ProcessHandle::destroyForcibly);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void awaitStep(String run, String step) throws IOException, InterruptedException {
    while (!status(run).steps().contains(step)) {
      pause("step " + step + " of run " + run + " has not started");
    }
  }

  private ProcessHandle awaitReplacement(String run) throws IOException, InterruptedException {
    while (true) {
      Optional<ProcessHandle> replacement = api.runner(run, FIRST_EPOCH + 1);
      if (replacement.isPresent()) {
        return replacement.get();
      }
      pause("run " + run + " has no second runner");
    }
  }

  private void awaitEnd(String run) throws IOException, InterruptedException {
    while (!status(run).isCompleted()) {
      pause("run " + run + " has not completed");
    }
  }

  private RunStatus status(String run) throws IOException, InterruptedException {
    RunStatus status = api.status(run);
    if (status.isEnded() && !status.isCompleted()) {
      throw failed("run %s is %s: %s".formatted(run, status.status(), status.failure()));
    }
    return status;
  }

  /** The JVM writes the cache while it exits. */
  private void awaitExit(ProcessHandle runner) throws IOException, InterruptedException {
    try {
      runner.onExit().get(CACHE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      runner.destroyForcibly();
      throw failed(
          "pid %d has not exited within %d s".formatted(runner.pid(), CACHE_WITHIN.toSeconds()));
    } catch (ExecutionException e) {
      throw new IOException("AOT cache of runners: cannot await pid " + runner.pid(), e);
    }
    if (!AotCacheDirectory.isComplete(cache)) {
      throw failed("pid %d has exited without finishing it".formatted(runner.pid()));
    }
  }

  private void pause(String missing) throws IOException, InterruptedException {
    if (System.nanoTime() > runEnd) {
      throw failed(missing + " within " + RUN_WITHIN.toSeconds() + " s");
    }
    TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
  }

  private IOException failed(String why) {
    return new IOException("AOT cache of runners: " + why + "; see the logs in " + logs);
  }
}
