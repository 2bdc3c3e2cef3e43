/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Drives runs with one agent step, on a workspace with files. Not thread-safe.
 *
 * @see BenchmarkStack
 */
public final class AgentRunDriver implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofMillis(10);

  private final BenchmarkApiClient api;
  private final RunTraceWatcher ends;
  private final RunEpochWatcher epochs;
  private final List<String> command;
  private final String model;
  private final String files;

  private AgentRunDriver(BenchmarkStack stack, List<String> command, String model, String files) {
    this.api = new BenchmarkApiClient(stack.orchestrator(), stack.apiKey());
    this.ends = RunTraceWatcher.start(stack.kafka());
    this.epochs = RunEpochWatcher.start(stack.kafka());
    this.command = command;
    this.model = model;
    this.files = files;
  }

  /**
   * @param command of the agent
   * @param files a shell script that creates the files
   */
  public static AgentRunDriver on(
      BenchmarkStack stack, List<String> command, String model, String files) {
    return new AgentRunDriver(stack, List.copyOf(command), model, files);
  }

  /**
   * Starts a run.
   *
   * @param cut {@code turn} or {@code none}
   * @return its id
   */
  public String start(String cut) throws IOException, InterruptedException {
    return api.run(api.workflow(files("agent-" + cut) + agent(cut)));
  }

  /** Starts a run that only creates the files. */
  public String startWithoutAgent() throws IOException, InterruptedException {
    return api.run(api.workflow(files("agent-files")));
  }

  private String files(String name) {
    return """
        name: %s
        steps:
          - id: files
            shell: |
        %s\
        """
        .formatted(name, files.indent(6));
  }

  private String agent(String cut) {
    return """
          - id: work
            agent:
              use: command
              command: ['%s']
              model: %s
              prompt: Append the lines.
              cut: %s
        """
        .formatted(String.join("', '", command), model, cut)
        .indent(0);
  }

  /**
   * Waits for the end of a run.
   *
   * @throws IOException when it does not complete within {@code bound}
   */
  public void complete(String run, Duration bound) throws IOException, InterruptedException {
    ends.completed(run, bound);
  }

  /**
   * Sends SIGKILL to the runner of a run in its first epoch.
   *
   * @return when, by {@link System#nanoTime()}
   * @throws IOException when there is none within five minutes
   */
  public long killRunner(String run) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      for (RunnerListEntry runner : api.runners()) {
        if (runner.carries(run, 1)) {
          long now = System.nanoTime();
          ProcessHandle.of(runner.pid()).ifPresent(ProcessHandle::destroyForcibly);
          return now;
        }
      }
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
    }
    throw new IOException("no runner of run " + run + " within " + PATIENCE);
  }

  /**
   * Waits until a later epoch has started its first step.
   *
   * @throws IOException when none does within five minutes
   */
  public TakeoverTimes awaitResume(String run) throws IOException, InterruptedException {
    return epochs.await(run, newest -> newest.epoch() > 1, PATIENCE).takeover();
  }

  @Override
  public void close() throws InterruptedException {
    epochs.close();
    ends.close();
    api.close();
  }
}
