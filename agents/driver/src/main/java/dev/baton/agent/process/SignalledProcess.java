/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.AgentProcess;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process that remembers whether its session has sent it a signal while it ran. Thread-safe. */
final class SignalledProcess implements AgentProcess {
  private final AgentProcess process;
  private final AtomicBoolean signalled = new AtomicBoolean();

  SignalledProcess(AgentProcess process) {
    this.process = process;
  }

  /** Whether {@link #terminate} or {@link #kill} was called. */
  boolean isSignalled() {
    return signalled.get();
  }

  private void noteSignal() {
    if (!process.onExit().isDone()) {
      signalled.set(true);
    }
  }

  @Override
  public void terminate() {
    noteSignal();
    process.terminate();
  }

  @Override
  public void kill() {
    noteSignal();
    process.kill();
  }

  @Override
  public OutputStream stdin() {
    return process.stdin();
  }

  @Override
  public InputStream stdout() {
    return process.stdout();
  }

  @Override
  public InputStream stderr() {
    return process.stderr();
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public CompletableFuture<Integer> onExit() {
    return process.onExit();
  }
}
