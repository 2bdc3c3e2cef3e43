/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.runner.checkpoint.AgentDescription;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Captures the state of an agent while its caller captures the workspace: both are at rest, and
 * each capture mostly waits for the store. For one thread.
 */
final class AgentCaptureTask implements AutoCloseable {
  private final @Nullable FutureTask<AgentDescription> task;
  private final List<Thread> threads;

  private AgentCaptureTask(@Nullable FutureTask<AgentDescription> task) {
    this.task = task;
    this.threads =
        task == null ? List.of() : List.of(Thread.ofVirtual().name("agent-state").start(task));
  }

  /**
   * Starts the capture.
   *
   * @param agent null for none
   */
  static AgentCaptureTask start(@Nullable AgentCapture agent, PackStore store) {
    return new AgentCaptureTask(
        agent == null ? null : new FutureTask<>(() -> agent.capture(store)));
  }

  /**
   * Waits for the capture.
   *
   * @return null without an agent
   */
  @Nullable AgentDescription await() throws IOException, InterruptedException {
    if (task == null) {
      return null;
    }
    try {
      return task.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException failure -> throw failure;
        case InterruptedException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IOException("the agent's state: " + e.getCause(), e);
      }
    }
  }

  /** Interrupts a capture that has not ended and waits until it has. */
  @Override
  public void close() {
    if (task != null) {
      task.cancel(true);
    }
    ThreadJoiner.join(threads);
  }
}
