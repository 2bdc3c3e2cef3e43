/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.agents;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentDriverRegistry;
import dev.baton.agent.AgentLaunch.ContextLimit;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.loop.model.LoopModelName;
import dev.baton.gateway.GatewayConfig;
import dev.baton.gateway.GatewayObserver;
import dev.baton.gateway.ModelGateway;
import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.screen.ScreenRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What all agents of a runner share: the drivers, the price table, and the model gateway, which is
 * started with the first agent. Thread-safe.
 */
public final class AgentRuntime implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(AgentRuntime.class);

  private final AgentSettings settings;
  private final AgentDriverRegistry drivers;
  private final ScreenRegistry screens = new ScreenRegistry();
  private @Nullable ModelGateway gateway;
  private @Nullable ModelPriceTable prices;
  private boolean closed;

  public AgentRuntime(AgentSettings settings, List<AgentDriver> drivers) {
    this.settings = settings;
    this.drivers = new AgentDriverRegistry(drivers);
  }

  /** Returns a runtime without agents. */
  public static AgentRuntime none() {
    return new AgentRuntime(AgentSettings.NONE, List.of());
  }

  public AgentDriverRegistry drivers() {
    return drivers;
  }

  /** The screens of interactive agents. */
  public ScreenRegistry screens() {
    return screens;
  }

  /** Whose authorities MCP servers may have, in addition to those of the JDK. */
  public TlsSettings tls() {
    return settings.tls();
  }

  /** The model of steps that name none. */
  public Optional<String> model() {
    return settings.model();
  }

  /**
   * Returns the variables with the login of an agent that does not use the gateway.
   *
   * @param names from the definition of the step
   * @throws AgentProgramException when the runner lacks one of them, or may not pass it on
   */
  public Map<String, String> login(List<String> names) throws AgentProgramException {
    Map<String, String> login = new LinkedHashMap<>();
    for (String name : names) {
      String value = System.getenv(name);
      if (!settings.login().contains(name)) {
        throw new AgentProgramException(
            "the agent's login: this runner does not pass on the variable '%s'; add it to baton.agent.login (BATON_AGENT_LOGIN) of the runner"
                .formatted(name));
      }
      if (value == null || value.isEmpty()) {
        throw new AgentProgramException(
            "the agent's login: this runner has no variable '%s'; set it in the environment of the runner"
                .formatted(name));
      }
      login.put(name, value);
    }
    return login;
  }

  /**
   * Returns the gateway.
   *
   * @throws IOException when it cannot be started
   */
  public synchronized ModelGateway gateway() throws IOException {
    if (closed) {
      throw new IOException("the runner is closing");
    }
    ModelGateway known = gateway;
    if (known == null) {
      known =
          ModelGateway.start(
              GatewayConfig.of(settings.endpoints()).withTls(settings.tls()),
              new ReferencedKeyResolver(System.getenv()),
              InstantSource.system(),
              new GatewayObserver() {
                @Override
                public void refusedToken(String path) {
                  LOG.warnf("model gateway: a request for %s had no valid token", path);
                }
              });
      gateway = known;
      LOG.infof("model gateway: serving at %s", known.baseUrl());
    }
    return known;
  }

  /**
   * Returns the prices of models.
   *
   * @throws IOException when the configured table cannot be read; the message names it
   */
  public synchronized ModelPriceTable prices() throws IOException {
    ModelPriceTable known = prices;
    if (known == null) {
      known = ModelPriceTable.standard();
      if (settings.prices().isPresent()) {
        try {
          known = known.overriddenBy(Json.tree(Files.readAllBytes(settings.prices().get())));
        } catch (IOException | RuntimeException e) {
          throw new IOException(
              "price table %s: %s".formatted(settings.prices().get(), e.getMessage()), e);
        }
      }
      prices = known;
    }
    return known;
  }

  /**
   * Returns how long a step's conversations may be: as the step says, else by the window of its
   * model in the price table.
   *
   * @throws IOException as {@link #prices}
   */
  public ContextLimit contextLimit(StepKind.Agent step) throws IOException {
    Optional<Long> window = step.context().window();
    if (window.isEmpty()) {
      String model = step.model().or(this::model).orElse("");
      window = prices().contextWindow(LoopModelName.parse(model).name());
    }
    return new ContextLimit(
        window.orElse(ContextLimit.WINDOW),
        step.context().compactAt().orElse(ContextLimit.COMPACT_AT));
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (gateway != null) {
      gateway.close();
    }
  }
}
