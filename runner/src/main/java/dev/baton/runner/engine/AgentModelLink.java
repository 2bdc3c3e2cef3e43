/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentLaunch;
import java.util.concurrent.CompletableFuture;

/** How one process of an agent is connected to its model. Thread-safe. */
interface AgentModelLink extends AutoCloseable {
  /** Returns the access of this process. */
  AgentLaunch.ModelAccess access(AgentLaunch.ModelAccess ofStep);

  /** Whether the agent is held, or waits for an answer that is in progress. */
  boolean isBusy();

  /** Nanoseconds since the newest request of the agent, as far as it is known. */
  long quietNanos();

  /** Completes when the agent must be stopped since a budget is used up. */
  CompletableFuture<Void> exhausted();

  @Override
  void close();
}
