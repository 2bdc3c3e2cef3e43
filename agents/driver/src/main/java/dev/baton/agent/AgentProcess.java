/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/** A process that a driver has started. The driver reads both outputs until their end. */
public interface AgentProcess {
  OutputStream stdin();

  InputStream stdout();

  InputStream stderr();

  long pid();

  /** Completes with the exit code when the process has ended. */
  CompletableFuture<Integer> onExit();

  /** Requests the process to end (SIGTERM). */
  void terminate();

  /**
   * Kills the process and everything that it has started, as far as it is found (SIGKILL).
   * Repeating it has no effect.
   */
  void kill();
}
