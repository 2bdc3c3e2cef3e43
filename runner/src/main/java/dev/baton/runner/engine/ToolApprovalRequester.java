/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.state.ApprovalState;
import dev.baton.protocol.state.BegunToolCall;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.AgentCutRule;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Requests the decisions of people on the tool calls of one attempt of an agent step, and registers
 * a wait of the run while nothing of the agent runs. Records the begin of calls that must not
 * simply run again, and decides on those that an earlier process has begun.
 *
 * <p>The id of an approval is a digest of the call, its input and the files: an agent that was
 * resumed requests the same approval again and gets the decision that is there; another input or
 * other files are another approval. Thread-safe.
 */
final class ToolApprovalRequester {
  private static final Logger LOG = Logger.getLogger(ToolApprovalRequester.class);

  /** How much later than it expired an answer may arrive that was accepted just before. */
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(2);

  private static final int ID_DIGITS = 16;
  private static final int MAX_PROMPT = 1_000;
  private static final int MAX_REASON = 1_000;

  /** Of an answer. */
  private static final JsonNode SCHEMA =
      Json.tree(
          """
          {"type": "object", "required": ["approved"], "properties": {
            "approved": {"type": "boolean", "description": "Whether the call runs."},
            "message": {"type": "string", "maxLength": 4000,
              "description": "The result that the model gets of a refused call."}}}\
          """
              .getBytes(StandardCharsets.UTF_8));

  private final RunExecutionContext run;
  private final StepContext context;
  private final Workspace workspace;
  private final AgentProgressTracker progress;
  private final StepLog log;

  /** When the approvals expire that were requested in this epoch. */
  private final Map<String, Optional<Instant>> requested = new HashMap<>();

  private final TreeMap<String, PendingDecision> pending = new TreeMap<>();
  private final Map<String, String> begun = new HashMap<>();
  private final Set<String> allowed = new HashSet<>();
  private final Set<String> approved = new HashSet<>();

  /** The decisions on begins in this process, by the key of the call. */
  private final Map<String, CompletableFuture<ToolDecision>> begins = new HashMap<>();

  /** Calls that were kept from running again in this process. */
  private final Set<String> refused = new HashSet<>();

  private Optional<Duration> timeout = Optional.empty();
  private ToolRules rules = ToolRules.ALL;
  private CompletableFuture<Void> change = new CompletableFuture<>();
  private boolean waiting;
  private boolean sealed;
  private RunParkingPolicy.@Nullable OpenWait wait;
  private List<String> waitsFor = List.of();

  /** Whether an approved call has begun, and the boundary before it. */
  private boolean hasRun;

  private @Nullable String ranAfter;

  /** Whether each boundary becomes a checkpoint. */
  private boolean eachTurn = true;

  /** Whether the inputs of calls are recorded, so that people can read what runs again. */
  private boolean listsCalls;

  /**
   * A call that waits.
   *
   * @param beginsNext whether its begin is requested next, before it runs
   */
  private record PendingDecision(
      String call,
      boolean beginsNext,
      @Nullable Instant expiresAt,
      CompletableFuture<ToolDecision> decision) {}

  ToolApprovalRequester(
      RunExecutionContext run,
      StepContext context,
      Workspace workspace,
      AgentProgressTracker progress,
      StepLog log) {
    this.run = run;
    this.context = context;
    this.workspace = workspace;
    this.progress = progress;
    this.log = log;
  }

  /** A process of the agent starts; the one before has ended. */
  synchronized void begin(StepKind.Agent kind, ToolRules ofStep) {
    timeout = kind.ask().timeout();
    listsCalls = !kind.usesGateway();
    eachTurn = kind.cut() instanceof AgentCutRule.EachTurn;
    rules = ofStep;
    sealed = false;
  }

  /** The process ends: no decision reaches it any more. */
  synchronized void end() {
    sealed = true;
    pending.clear();
    begun.clear();
    allowed.clear();
    approved.clear();
    begins.clear();
    refused.clear();
    refresh();
  }

  /**
   * Requests a decision, unless it is there.
   *
   * @throws InterruptedException when the run is stopped
   */
  CompletionStage<ToolDecision> decide(ToolApproval call) throws InterruptedException {
    return decide(call, 0);
  }

  /**
   * @param times how often the call has begun in processes before; 0 for a decision that does not
   *     depend on it
   */
  private CompletionStage<ToolDecision> decide(ToolApproval call, int times)
      throws InterruptedException {
    String cut = cut();
    String id = id(call, cut, times);
    Optional<ApprovalState> before = run.memory().approval(id);
    before.map(ApprovalState::answer).ifPresent(answer -> run.answers().give(id, answer));
    CompletableFuture<JsonNode> answer = run.answers().to(id);
    CompletableFuture<ToolDecision> decision = new CompletableFuture<>();
    synchronized (this) {
      if (sealed) {
        return decision;
      }
      if (!answer.isDone() && !requested.containsKey(id)) {
        requested.put(id, request(call, times, id, cut, before));
      }
      Instant expiresAt = requested.getOrDefault(id, Optional.empty()).orElse(null);
      boolean beginsNext = rules.watches(call.tool(), call.mainInput());
      pending.put(id, new PendingDecision(call.callId(), beginsNext, expiresAt, decision));
      if (!answer.isDone()) {
        refresh();
      }
    }
    if (answer.isDone()) {
      decided(id, decision, judge(answer.join()));
    } else {
      answer.thenAcceptAsync(
          value -> decided(id, decision, judge(value)),
          task -> Thread.ofVirtual().name("tool-decision").start(task));
    }
    return decision;
  }

  /** Puts the request on the log, unless an earlier epoch has; returns when it expires. */
  private Optional<Instant> request(
      ToolApproval call, int times, String id, @Nullable String cut, Optional<ApprovalState> before)
      throws InterruptedException {
    Optional<Instant> expiresAt =
        before.map(ApprovalState::expiresAt).or(() -> timeout.map(Instant.now()::plus));
    if (before.isEmpty() || !run.memory().isOpen(id)) {
      log.note("tool '" + call.tool() + "' waits for a person: " + id);
      run.journal()
          .send(
              new TraceEvent.ApprovalRequested(
                  context.step(),
                  id,
                  prompt(call, times),
                  SCHEMA,
                  null,
                  expiresAt.orElse(null),
                  cut,
                  new ToolCall(
                      call.callId(),
                      call.tool(),
                      input(call),
                      call.inputDigest(),
                      call.reason().isBlank()
                          ? null
                          : TextShortener.shorten(call.reason(), MAX_REASON))));
    }
    return expiresAt;
  }

  /** Returns the files that the call finds, as far as a cut has them. */
  private @Nullable String cut() {
    Cut boundary = progress.boundary();
    if (boundary != null) {
      return boundary.digest();
    }
    return workspace.isAhead() ? null : workspace.cut().map(Cut::digest).orElse(null);
  }

  private String id(ToolApproval call, @Nullable String cut, int times) {
    String subject =
        String.join(
                "\n",
                String.valueOf(context.attempt()),
                call.callId(),
                call.tool(),
                call.inputDigest(),
                cut == null ? "" : cut)
            + (times == 0 ? "" : "\n" + times);
    String digest = Digest.of(subject.getBytes(StandardCharsets.UTF_8));
    int digits = digest.indexOf(':') + 1;
    return run.visitId(context.step(), context.visit())
        + "-"
        + digest.substring(digits, digits + ID_DIGITS);
  }

  private static String prompt(ToolApproval call, int times) {
    String main = call.mainInput();
    return TextShortener.shorten(
        (times == 0 ? "" : "run again after an interruption: ")
            + call.tool()
            + ": "
            + (main.isBlank() ? call.input() : main),
        MAX_PROMPT);
  }

  private static JsonNode input(ToolApproval call) {
    try {
      return Json.checkedTree(call.input());
    } catch (JsonProcessingException shortened) {
      return TextNode.valueOf(call.input());
    }
  }

  private static ToolDecision judge(JsonNode answer) {
    if (answer.path("approved").asBoolean(false)) {
      return new ToolDecision.Allow();
    }
    String message = answer.path("message").asText("");
    return new ToolDecision.Deny(message.isBlank() ? "A person has refused this call." : message);
  }

  private void decided(String id, CompletableFuture<ToolDecision> decision, ToolDecision verdict) {
    synchronized (this) {
      PendingDecision waited = pending.get(id);
      if (sealed || waited == null || waited.decision() != decision) {
        return;
      }
      if (wait != null && !wait.over()) {
        return; // The run was parked just before: the next runner gives the decision.
      }
      pending.remove(id);
      if (verdict instanceof ToolDecision.Allow && !waited.beginsNext()) {
        approved.add(waited.call());
        allow(waited.call());
      }
      refresh();
    }
    decision.complete(verdict);
  }

  /**
   * Records that a call begins, and allows it then. A call that a process before has begun is
   * treated by the step's {@code interrupted}.
   *
   * @throws InterruptedException when the run is stopped
   */
  CompletionStage<ToolDecision> begin(ToolApproval call) throws InterruptedException {
    String key = call.callId().isEmpty() ? call.inputDigest() : call.callId();
    CompletableFuture<ToolDecision> decision = new CompletableFuture<>();
    BegunToolCall before;
    synchronized (this) {
      CompletableFuture<ToolDecision> known = begins.get(key);
      if (known != null) {
        return known;
      }
      if (sealed || (wait != null && !wait.over())) {
        return decision; // The process ends: the next one requests it again.
      }
      begins.put(key, decision);
      before = progress.begunCall(key);
    }
    if (before == null) {
      recordBegin(call, key, decision);
      return decision;
    }
    String notice = InterruptedCallNotice.of(before);
    switch (rules.interrupted().treatment(call.tool(), call.mainInput())) {
      case RERUN -> recordBegin(call, key, decision);
      case TELL -> {
        log.note("tool '" + call.tool() + "' does not run again: call " + key + " had begun");
        refuse(call, decision, notice);
      }
      case ASK ->
          decide(withReason(call, before), before.times())
              .thenAccept(
                  verdict -> {
                    switch (verdict) {
                      case ToolDecision.Allow allow -> recordBegin(call, key, decision);
                      case ToolDecision.Deny(String message) ->
                          refuse(call, decision, notice + " " + message);
                    }
                  });
    }
    return decision;
  }

  private void refuse(ToolApproval call, CompletableFuture<ToolDecision> decision, String message) {
    synchronized (this) {
      refused.add(call.callId());
    }
    decision.complete(new ToolDecision.Deny(message));
  }

  /**
   * Whether a call was kept from running again. Agents may report its end as an error, which must
   * not count as the outcome of the time when it ran.
   */
  synchronized boolean isRefused(String call) {
    return refused.contains(call);
  }

  private static ToolApproval withReason(ToolApproval call, BegunToolCall before) {
    String reason =
        before.outcome() == null
            ? "the agent was interrupted while this call ran; its outcome is unknown"
            : "the agent was interrupted after this call had ended with '%s'; its result is lost"
                .formatted(before.outcome());
    return new ToolApproval(
        call.callId(), call.tool(), call.mainInput(), call.input(), call.inputDigest(), reason);
  }

  /** Puts the begin of a call on the log, and lets the call run after that. */
  private void recordBegin(
      ToolApproval call, String key, CompletableFuture<ToolDecision> decision) {
    synchronized (this) {
      if (sealed || (wait != null && !wait.over())) {
        return;
      }
      begun.putIfAbsent(call.callId(), "");
      // As an approved call: a new process would not simply run it again.
      approved.add(call.callId());
      allow(call.callId());
      refresh();
    }
    String input =
        listsCalls ? TextShortener.shorten(call.mainInput(), RepeatedCall.MAX_INPUT) : null;
    TraceEvent.ToolBegun event = new TraceEvent.ToolBegun(context.step(), call.tool(), key, input);
    Thread.ofVirtual()
        .name("tool-begin")
        .start(
            () -> {
              try {
                run.control().enterAside();
                try {
                  run.append(event);
                } finally {
                  run.control().leave();
                }
                progress.begun(event);
                decision.complete(new ToolDecision.Allow());
              } catch (InterruptedException | JournalException e) {
                // The run stops or fails over, which ends the agent: the call must not run.
                LOG.debugf(
                    "run %s, step '%s': the begin of call %s is not recorded: %s",
                    context.run(), context.step(), key, e.getMessage());
              }
            });
  }

  /** A call has begun, though it may still wait. */
  synchronized void begun(String call, String parent) {
    begun.put(call, parent);
    noteRun(call);
    refresh();
  }

  /** The rules allow a call. */
  synchronized void allowed(String call) {
    allow(call);
    refresh();
  }

  private void allow(String call) {
    allowed.add(call);
    noteRun(call);
  }

  /** A call runs that a person has approved: it must not run again unless the runner dies. */
  private void noteRun(String call) {
    if (approved.contains(call) && begun.containsKey(call)) {
      hasRun = true;
      ranAfter = progress.checkpoint();
    }
  }

  synchronized void ended(String call, String outcome) {
    progress.ended(call, outcome);
    begun.remove(call);
    allowed.remove(call);
    approved.remove(call);
    refresh();
  }

  /** Whether calls wait for people, and no other call of the agent runs. */
  synchronized boolean isOnlyWaiting() {
    return waiting;
  }

  /** Completes when what the agent waits for has changed. */
  synchronized CompletableFuture<Void> nextChange() {
    return change;
  }

  /**
   * Holds back all decisions from now on, so that the process can be ended.
   *
   * @return false when a decision has been given just before: the agent runs
   */
  synchronized boolean seal() {
    sealed = sealed || waiting;
    return sealed;
  }

  /** Returns this time, or less if a call expires earlier. */
  synchronized Duration leftAtMost(Duration most) {
    return pending.values().stream()
        .map(PendingDecision::expiresAt)
        .filter(Objects::nonNull)
        .map(expiresAt -> Deadline.at(expiresAt.plus(ON_ITS_WAY)).leftOrForever())
        .reduce(most, (one, other) -> one.compareTo(other) <= 0 ? one : other);
  }

  /** Refuses the calls without a decision in time. */
  void expire() {
    Map<String, PendingDecision> late;
    synchronized (this) {
      late = new TreeMap<>(pending);
    }
    late.forEach(
        (id, call) -> {
          Instant at = call.expiresAt();
          if (at != null && Deadline.at(at.plus(ON_ITS_WAY)).isPast()) {
            decided(
                id,
                call.decision(),
                new ToolDecision.Deny("No person has decided on this call before " + at + "."));
          }
        });
  }

  private void refresh() {
    boolean waitsNow = !pending.isEmpty() && !isRunning();
    List<String> waitsForNow = waitsNow ? List.copyOf(pending.keySet()) : List.of();
    if (waitsForNow.equals(waitsFor)) {
      return;
    }
    waitsFor = waitsForNow;
    if (waitsNow != waiting) {
      waiting = waitsNow;
      if (waitsNow) {
        run.progress().beginWaiting();
      } else {
        run.progress().endWaiting();
      }
    }
    if (wait != null) {
      wait.close();
      wait = null;
    }
    if (waitsNow) {
      wait = run.parking().begin(firstExpiry(), null, null, waitsFor, mayPark());
    }
    CompletableFuture<Void> old = change;
    change = new CompletableFuture<>();
    old.complete(null);
  }

  private Deadline firstExpiry() {
    return pending.values().stream()
        .map(PendingDecision::expiresAt)
        .filter(Objects::nonNull)
        .min(Instant::compareTo)
        .map(Deadline::at)
        .orElse(Deadline.NONE);
  }

  /** Whether a call runs that is not the parent of one that waits. */
  private boolean isRunning() {
    Set<String> parents = new HashSet<>();
    for (PendingDecision waits : pending.values()) {
      String parent = begun.getOrDefault(waits.call(), "");
      while (!parent.isEmpty() && parents.add(parent)) {
        parent = begun.getOrDefault(parent, "");
      }
    }
    return allowed.stream().anyMatch(call -> begun.containsKey(call) && !parents.contains(call));
  }

  /**
   * Whether another runner could continue at the newest boundary without running a call again that
   * a person has approved, or one of a turn whose boundary was left out.
   */
  private boolean mayPark() {
    String boundary = progress.checkpoint();
    return boundary != null
        && !workspace.isAhead()
        && (eachTurn || progress.answers().size() <= 1)
        && !(hasRun && Objects.equals(ranAfter, boundary));
  }
}
