/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs in the foreground: it shares this process's terminal, and a signal that ends
 * this process ends the program first.
 */
final class ForegroundProcess {
  private final ProcessBuilder program;
  private final Duration patience;
  private @Nullable Process process;

  /**
   * @param patience how long this process, when signalled, waits for the program's end; the program
   *     continues its shutdown afterwards
   */
  ForegroundProcess(ProcessBuilder program, Duration patience) {
    this.program = program.inheritIO();
    this.patience = patience;
  }

  /** Runs it until it ends; returns its exit code. */
  int run() throws IOException, InterruptedException {
    Thread hook = new Thread(this::end, "foreground-end");
    // Registered before the start: a signal in between must not leave the program running.
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return start().waitFor();
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException _) {
        // The JVM is shutting down, and the hook is running.
      }
    }
  }

  private synchronized Process start() throws IOException {
    process = program.start();
    return process;
  }

  private void end() {
    Process running;
    synchronized (this) {
      running = process;
    }
    if (running == null || !running.isAlive()) {
      return;
    }
    running.destroy();
    try {
      if (!running.waitFor(patience)) {
        System.err.println(
            "baton: the stack (process %d) has not ended within %d s; `baton down` waits longer"
                .formatted(running.pid(), patience.toSeconds()));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
