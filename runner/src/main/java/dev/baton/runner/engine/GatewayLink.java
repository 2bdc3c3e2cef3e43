/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentLaunch;
import dev.baton.gateway.GatewaySession;
import java.util.concurrent.CompletableFuture;

/** Connects an agent by a session of the model gateway, which refuses requests over a budget. */
record GatewayLink(GatewaySession session, CompletableFuture<Void> exhausted)
    implements AgentModelLink {
  GatewayLink(GatewaySession session) {
    this(session, new CompletableFuture<>());
  }

  @Override
  public AgentLaunch.ModelAccess access(AgentLaunch.ModelAccess ofStep) {
    return new AgentLaunch.ModelAccess(ofStep.baseUrl(), session.token(), ofStep.model());
  }

  @Override
  public boolean isBusy() {
    return session.isAnswering();
  }

  @Override
  public long quietNanos() {
    return session.quietNanos();
  }

  @Override
  public void close() {
    session.close();
  }
}
