/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.gateway.GatewayConfig;
import dev.baton.gateway.GatewayObserver;
import dev.baton.gateway.GatewaySession;
import dev.baton.gateway.LeaseGate;
import dev.baton.gateway.ModelGateway;
import dev.baton.gateway.SessionSpec;
import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.upstream.RetryPolicy;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A scripted endpoint and the journal of a run, which outlive the gateways of its runners. */
public final class AgentRig implements AutoCloseable {
  public final ScriptedModelServer endpoint;
  public final Queue<String> events = new ConcurrentLinkedQueue<>();
  private final List<JournaledAnswer> answers = new ArrayList<>();
  private SpendBudget budget = SpendBudget.UNLIMITED;
  private ModelGateway gateway;

  public AgentRig(ModelScript script) throws IOException {
    endpoint = ScriptedModelServer.start(script);
    gateway = newGateway();
  }

  private ModelGateway newGateway() throws IOException {
    ModelUpstream upstream = new ModelUpstream(endpoint.baseUrl(), "env:KEY", Map.of());
    GatewayConfig config =
        GatewayConfig.of(
                Map.of(
                    "anthropic-messages", upstream,
                    "openai-responses", upstream,
                    "openai-chat", upstream))
            .withRetries(
                new RetryPolicy(
                    5, Duration.ofSeconds(20), Duration.ofMillis(5), Duration.ofMillis(20)));
    return ModelGateway.start(config, reference -> "sk-real", Clock.systemUTC(), observer());
  }

  public ModelGateway gateway() {
    return gateway;
  }

  public void limit(SpendBudget limits) {
    budget = limits;
  }

  /** Ends the gateway as the death of its runner does, and starts that of the next one. */
  public void replaceGateway() throws IOException {
    gateway.close();
    gateway = newGateway();
  }

  /** Opens the session of one process. */
  public GatewaySession open(AgentFamily family, int journaledBefore, BoundaryCapture capture) {
    ModelGateway at = gateway;
    List<JournaledAnswer> since;
    synchronized (answers) {
      since = List.copyOf(answers.subList(journaledBefore, answers.size()));
    }
    return at.open(
        new SessionSpec(
            "01run",
            1,
            "work",
            family,
            new SpendLedger(
                "01run", budget, ModelPriceTable.standard(), Clock.systemUTC(), SpendTotal.NONE),
            since,
            answer -> append(at, answer),
            capture,
            max -> LeaseGate.Standing.HELD,
            observer()));
  }

  /** The log takes nothing of a runner that is dead. */
  private void append(ModelGateway from, JournaledAnswer answer) throws IOException {
    synchronized (answers) {
      if (from != gateway) {
        throw new IOException("fenced");
      }
      answers.add(answer);
    }
  }

  public int journaled() {
    synchronized (answers) {
      return answers.size();
    }
  }

  /** Numbers of the requests without a whole answer in the journal: of others it has the cost. */
  public Set<Integer> unanswered() {
    Set<@Nullable String> answered = new HashSet<>();
    synchronized (answers) {
      answers.stream()
          .filter(answer -> answer.answer() != null)
          .forEach(answer -> answered.add(answer.providerRequestId()));
    }
    return endpoint.requests().stream()
        .map(ScriptedRequest::number)
        .filter(number -> !answered.contains(ScriptedModelServer.requestId(number)))
        .collect(Collectors.toSet());
  }

  private GatewayObserver observer() {
    return new GatewayObserver() {
      @Override
      public void replayed(JournaledAnswer answer) {
        events.add("replayed");
      }

      @Override
      public void diverged(String conversation, String key, int answersLeft) {
        events.add("diverged " + answersLeft);
      }

      @Override
      public void boundaryFailed(int number, String reason) {
        events.add("boundary failed " + number + ": " + reason);
      }

      @Override
      public void boundaryUnreachable(List<String> openCalls) {
        events.add("unreachable " + openCalls);
      }

      @Override
      public void budgetStopped(String which, String message) {
        events.add("budget " + which);
      }
    };
  }

  @Override
  public void close() {
    gateway.close();
    endpoint.close();
  }
}
