/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.agents;

import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.protocol.tls.TlsSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of agents.
 *
 * @param endpoints by id of the form
 * @param model of steps that name none; empty: that of the agent
 * @param prices a table that overrides the built-in one
 * @param login variables of the runner that steps without the gateway may give to their agents
 * @param tls whose authorities models and MCP servers may have, in addition to those of the JDK
 */
public record AgentSettings(
    Map<String, ModelUpstream> endpoints,
    Optional<String> model,
    Optional<Path> prices,
    Set<String> login,
    TlsSettings tls) {
  public static final AgentSettings NONE =
      new AgentSettings(Map.of(), Optional.empty(), Optional.empty(), Set.of(), TlsSettings.NONE);

  public AgentSettings {
    endpoints = Map.copyOf(endpoints);
    login = Set.copyOf(login);
  }
}
