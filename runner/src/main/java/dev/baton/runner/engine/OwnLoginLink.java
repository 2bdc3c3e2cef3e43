/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.gateway.spend.BudgetExceededException;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.logs.StepLog;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Follows an agent that uses its own login: counts the answers that it reports, captures its state
 * and the files while it rests between two turns, and lists the calls that a resume repeats.
 * Thread-safe.
 */
final class OwnLoginLink implements AgentModelLink {
  private static final int MAX_NAME = 200;

  private final RunExecutionContext run;
  private final String step;
  private final AgentSessionRecorder recorder;
  private final AgentProgressTracker progress;
  private final SpendLedger ledger;
  private final StepLog log;
  private final CompletableFuture<Void> exhausted = new CompletableFuture<>();
  private final AtomicBoolean resting = new AtomicBoolean();
  private int rests;

  /**
   * @param progress has the calls since the boundary at which the process starts
   */
  OwnLoginLink(
      RunExecutionContext run,
      String step,
      AgentSessionRecorder recorder,
      AgentProgressTracker progress,
      SpendLedger ledger,
      StepLog log) {
    this.run = run;
    this.step = step;
    this.recorder = recorder;
    this.progress = progress;
    this.ledger = ledger;
    this.log = log;
  }

  /** The process has its session: reports the calls that it may make again. */
  void started() throws InterruptedException {
    List<RepeatedCall> calls = progress.takeBegun();
    if (calls.isEmpty()) {
      return;
    }
    log.note(
        "the agent may make %d calls again that had begun since its newest boundary"
            .formatted(calls.size()));
    int listed = Math.min(calls.size(), RepeatedCall.MAX_LISTED);
    run.journal()
        .send(new TraceEvent.CallsRepeated(step, calls.subList(0, listed), calls.size() - listed));
  }

  /**
   * Counts an answer.
   *
   * @param session the agent's id of its session
   */
  void answered(AgentEvent.AnswerReported answer, String session) throws InterruptedException {
    TokenUsage usage = answer.usage();
    BigDecimal cost = ledger.cost(answer.model(), usage).orElse(null);
    String conversation = answer.parent().isEmpty() ? session : answer.parent();
    ledger.count(conversation, usage, cost);
    String digest = Digest.of(answer.id().getBytes(StandardCharsets.UTF_8));
    recorder.report(
        new TraceEvent.ModelAnswered(
            step,
            conversation,
            digest,
            digest,
            ModelUsage.REPORTED,
            answer.model(),
            null,
            answer.id(),
            usage == null ? null : TokenUsageMapper.toTrace(usage),
            cost,
            answer.millis(),
            answer.tools().stream()
                .limit(TraceEvent.ModelAnswered.MAX_TOOLS)
                .map(name -> TextShortener.truncate(name, MAX_NAME))
                .toList(),
            false));
  }

  /**
   * Captures while the agent rests, unless calls are open.
   *
   * @param calls those of the main conversation that have ended since the last rest; empty while a
   *     call is open
   * @return completes when the agent may continue; never when a budget is used up
   */
  CompletionStage<Void> rest(List<String> calls) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    try {
      ledger.check();
    } catch (BudgetExceededException e) {
      recorder.budgetStopped("", String.valueOf(e.getMessage()));
      exhausted.complete(null);
      return done;
    }
    if (calls.isEmpty() || !resting.compareAndSet(false, true)) {
      done.complete(null);
      return done;
    }
    int number = ++rests;
    Thread.ofVirtual()
        .name("rest-" + number)
        .start(
            () -> {
              String problem = captured(number, calls);
              resting.set(false);
              if (problem != null) {
                recorder.boundaryFailed(number, problem);
              }
              done.complete(null);
            });
    return done;
  }

  /** Returns why nothing was captured; null when it was, or need not be. */
  private @Nullable String captured(int number, List<String> calls) {
    try {
      recorder.capture(number, calls, null);
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "it was interrupted";
    } catch (IOException | RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public AgentLaunch.ModelAccess access(AgentLaunch.ModelAccess ofStep) {
    return ofStep;
  }

  @Override
  public boolean isBusy() {
    return resting.get();
  }

  /** Requests are not known: the agent's events decide. */
  @Override
  public long quietNanos() {
    return Long.MAX_VALUE;
  }

  @Override
  public CompletableFuture<Void> exhausted() {
    return exhausted;
  }

  @Override
  public void close() {
    exhausted.cancel(false);
  }
}
