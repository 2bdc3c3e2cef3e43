/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RestoredScreen;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.logs.StepLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes what one process of an agent does to the trace and to the step's log. Called by one thread
 * at a time.
 */
final class AgentEventRecorder implements AgentListener {
  private static final Logger LOG = Logger.getLogger(AgentEventRecorder.class);

  private final RunExecutionContext run;
  private final String step;
  private final String use;
  private final StepLog log;
  private final StepLog.Stream text;
  private final @Nullable String resumedFrom;
  private final boolean resumed;
  private final @Nullable String degraded;
  private final ToolApprovalRequester approvals;
  private final CompletableFuture<String> session = new CompletableFuture<>();
  private final AgentCutTracker cuts;
  private final Map<String, Begun> open = new HashMap<>();

  /** Calls of the main conversation that have ended since the last rest; guarded by open. */
  private final List<String> endedCalls = new ArrayList<>();

  private volatile long lastNanos = System.nanoTime();
  private volatile @Nullable OwnLoginLink ownLogin;
  private volatile @Nullable AgentScreen screen;

  /** A call in progress. */
  private record Begun(Instant at, @Nullable JsonNode input, String parent) {}

  /**
   * @param resumed whether the process continues a session that was lost with its process
   * @param resumedFrom the checkpoint that it continues with
   * @param degraded why the session before was lost; null unless it was
   * @param approvals decides on the calls that need a person
   * @param cuts receives the events
   */
  AgentEventRecorder(
      RunExecutionContext run,
      String step,
      String use,
      StepLog log,
      boolean resumed,
      @Nullable String resumedFrom,
      @Nullable String degraded,
      ToolApprovalRequester approvals,
      AgentCutTracker cuts) {
    this.run = run;
    this.step = step;
    this.use = use;
    this.log = log;
    this.text = log.stream("stdout");
    this.resumed = resumed;
    this.resumedFrom = resumedFrom;
    this.degraded = degraded;
    this.approvals = approvals;
    this.cuts = cuts;
  }

  /** Follows an agent with its own login; called before its start. */
  void follow(OwnLoginLink link) {
    ownLogin = link;
  }

  /** Completes with the agent's id of the session. */
  CompletableFuture<String> session() {
    return session;
  }

  /** The agent's id of the session; empty while it has reported none. */
  Optional<String> sessionId() {
    return Optional.ofNullable(session.getNow(null));
  }

  /** Names the screen of the process, before it is started. */
  void shownOn(AgentScreen of) {
    screen = of;
  }

  /** Nanoseconds since the agent's last event, or since the start of its process. */
  long quietNanos() {
    return System.nanoTime() - lastNanos;
  }

  @Override
  public void happened(AgentEvent event) {
    lastNanos = System.nanoTime();
    try {
      record(event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (JournalException e) {
      // The run fails over, which ends the agent.
      LOG.debugf("run %s, step '%s': %s", run.run(), step, e.getMessage());
    }
  }

  private void record(AgentEvent event) throws InterruptedException {
    switch (event) {
      case AgentEvent.SessionStarted started -> {
        send(
            new TraceEvent.AgentSessionCreated(
                step,
                use,
                started.sessionId(),
                orNull(started.version()),
                orNull(started.model()),
                null,
                resumed,
                resumedFrom,
                degraded,
                restoredScreen()));
        if (ownLogin != null) {
          ownLogin.started();
        }
        session.complete(started.sessionId());
        started
            .mcpServers()
            .forEach((name, state) -> log.note("MCP server '" + name + "': " + state));
      }
      case AgentEvent.ToolBegun begun -> {
        synchronized (open) {
          open.put(begun.callId(), new Begun(Instant.now(), parsed(begun.input()), begun.parent()));
        }
        approvals.begun(begun.callId(), begun.parent());
      }
      case AgentEvent.ToolAllowed allowed -> approvals.allowed(allowed.callId());
      case AgentEvent.ToolEnded ended -> {
        approvals.ended(ended.callId(), record(ended));
      }
      case AgentEvent.PlanUpdated plan -> send(new TraceEvent.PlanUpdated(step, items(plan)));
      case AgentEvent.SubAgentStarted started ->
          send(
              new TraceEvent.AgentSessionCreated(
                  step,
                  started.name(),
                  started.id(),
                  null,
                  null,
                  started.parent(),
                  false,
                  null,
                  null,
                  null));
      case AgentEvent.SubAgentEnded ended -> {}
      case AgentEvent.AnswerReported answer -> {
        if (ownLogin != null) {
          ownLogin.answered(answer, session.getNow(""));
        }
      }
      case AgentEvent.AssistantText said -> write(said.text());
      case AgentEvent.Compacted compacted -> {
        log.note("the agent has replaced its conversation by a summary: " + compacted.trigger());
        send(
            new TraceEvent.AgentCompacted(
                step,
                compacted.trigger(),
                compacted.tokensBefore() == 0 ? null : compacted.tokensBefore()));
      }
      case AgentEvent.UsageReported usage -> {}
      case AgentEvent.Notice notice -> log.note(notice.text());
      case AgentEvent.UnknownLine line ->
          log.note("unknown line of the agent (" + line.kind() + ", " + line.count() + ")");
    }
  }

  private @Nullable RestoredScreen restoredScreen() {
    AgentScreen shown = screen;
    return shown == null ? null : shown.restored();
  }

  private void send(TraceEvent.Runner event) throws InterruptedException {
    cuts.happened(event);
    run.journal().send(event);
  }

  /** Returns the outcome, as on the log. */
  private String record(AgentEvent.ToolEnded ended) throws InterruptedException {
    Begun begun;
    synchronized (open) {
      begun = open.remove(ended.callId());
      if (ownLogin != null && begun != null && begun.parent().isEmpty()) {
        endedCalls.add(ended.callId());
      }
    }
    String outcome = approvals.isRefused(ended.callId()) ? "denied" : outcome(ended.outcome());
    send(
        new TraceEvent.ToolInvoked(
            step,
            ended.tool(),
            begun == null ? null : begun.input(),
            ended.callId(),
            begun == null ? null : orNull(begun.parent()),
            begun == null ? null : begun.at(),
            begun == null ? null : Duration.between(begun.at(), Instant.now()).toMillis(),
            outcome,
            ended.files().stream().limit(TraceEvent.ToolInvoked.MAX_FILES).toList()));
    return outcome;
  }

  private static String outcome(AgentEvent.ToolOutcome outcome) {
    return switch (outcome) {
      case OK -> "ok";
      case FAILED -> "error";
      case DENIED -> "denied";
      case INTERRUPTED -> "unknown";
    };
  }

  private static ArrayNode items(AgentEvent.PlanUpdated plan) {
    ArrayNode items = JsonNodeFactory.instance.arrayNode();
    for (AgentEvent.PlanItem item : plan.items()) {
      items
          .addObject()
          .put("text", item.text())
          .put("status", item.status().toLowerCase(Locale.ROOT));
    }
    return items;
  }

  private static @Nullable JsonNode parsed(String input) {
    try {
      return input.isEmpty() ? null : Json.checkedTree(input);
    } catch (JsonProcessingException shortened) {
      return null;
    }
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private void write(String said) {
    byte[] line = (said + "\n").getBytes(StandardCharsets.UTF_8);
    text.write(line, line.length);
  }

  /** Ends the log of the agent's text. */
  void end() {
    text.end();
  }

  @Override
  public CompletionStage<ToolDecision> decide(ToolApproval approval) {
    if (ownLogin != null) {
      return CompletableFuture.completedFuture(
          new ToolDecision.Deny("Without the gateway no person can decide on a call."));
    }
    return request(() -> approvals.decide(approval));
  }

  @Override
  public CompletionStage<ToolDecision> begin(ToolApproval call) {
    return request(() -> approvals.begin(call));
  }

  @Override
  public CompletionStage<Void> rest() {
    lastNanos = System.nanoTime();
    OwnLoginLink link = ownLogin;
    if (link == null) {
      return CompletableFuture.completedFuture(null);
    }
    List<String> calls;
    synchronized (open) {
      // A sub-agent rests within the call that has started it.
      calls = open.isEmpty() ? List.copyOf(endedCalls) : List.of();
      if (open.isEmpty()) {
        endedCalls.clear();
      }
    }
    return link.rest(calls);
  }

  private interface DecisionRequest {
    CompletionStage<ToolDecision> decision() throws InterruptedException;
  }

  private CompletionStage<ToolDecision> request(DecisionRequest request) {
    lastNanos = System.nanoTime();
    try {
      return request.decision();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (JournalException e) {
      // The run fails over, which ends the agent.
      LOG.debugf("run %s, step '%s': %s", run.run(), step, e.getMessage());
    }
    return new CompletableFuture<>();
  }
}
