/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentDriver;
import dev.baton.gateway.GatewayObserver;
import dev.baton.gateway.LeaseGate;
import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.gateway.boundary.BoundaryPoint;
import dev.baton.gateway.journal.AnswerJournal;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.protocol.conversation.ConversationFolder;
import dev.baton.protocol.conversation.ConversationWriter;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.capture.AgentDetails;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.screen.InteractiveScreen;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Connects a session of the model gateway with the run: answers go to the trace, boundaries become
 * checkpoints, and the lease of the run decides. Thread-safe.
 */
final class AgentSessionRecorder
    implements AnswerJournal, BoundaryCapture, LeaseGate, GatewayObserver, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(AgentSessionRecorder.class);

  /** How long the first boundary waits until the agent has reported its session. */
  private static final Duration SESSION_WITHIN = Duration.ofSeconds(10);

  /** How long a boundary waits until the agent's files have the newest results. */
  private static final Duration SETTLED_WITHIN = Duration.ofSeconds(5);

  /** Answers since a boundary beyond this size are stored by reference. */
  private static final int MAX_INLINE = 1 << 20;

  private static final int MAX_TOOL_NAME = 200;

  /** Name of the conversation among the contributors of a checkpoint. */
  private static final String CONVERSATION = "conversation";

  private final RunExecutionContext run;
  private final String step;
  private final int visit;
  private final AgentDriver driver;
  private final SpendLedger ledger;
  private final Workspace workspace;
  private final AgentStateTree state;
  private final AgentStateTree requested;
  private final ConversationWriter conversations;
  private final AgentMcpRuntime servers;
  private final AgentBackgroundRuntime background;
  private final AgentScreen screen;
  private final AgentCutTracker cuts;
  private final CompletableFuture<String> session;
  private final AgentProgressTracker progress;
  private final StepLog log;
  private final Set<String> diverged = ConcurrentHashMap.newKeySet();
  private final ReentrantLock capturing = new ReentrantLock();
  private final AtomicInteger inlineBytes = new AtomicInteger();
  private boolean closed;

  // Guarded by capturing.
  private List<String> tools = List.of();

  /** The endpoint's id of the newest answer; null where it gives none. */
  private volatile @Nullable String lastAnswer;

  /** Whether the process continues an older conversation with a prompt, and no call has ended. */
  private volatile boolean prompted;

  private volatile @Nullable String overBudget;

  /**
   * @param cuts decides which boundaries become checkpoints
   * @param prompted whether the process continues an older conversation with a new prompt
   * @param session completes with the agent's id of its session
   * @param progress receives what is on the log
   */
  AgentSessionRecorder(
      RunExecutionContext run,
      String step,
      int visit,
      AgentDriver driver,
      SpendLedger ledger,
      Workspace workspace,
      AgentStateTree state,
      AgentMcpRuntime servers,
      AgentBackgroundRuntime background,
      AgentScreen screen,
      AgentCutTracker cuts,
      boolean prompted,
      CompletableFuture<String> session,
      AgentProgressTracker progress,
      StepLog log) {
    this.run = run;
    this.step = step;
    this.visit = visit;
    this.driver = driver;
    this.ledger = ledger;
    this.workspace = workspace;
    this.state = state;
    this.requested =
        new AgentStateTree(
            state.home(),
            run.folder().agent(step).resolve("requested"),
            file -> ConversationFolder.contains(file) || InteractiveScreen.isState(file),
            run.secrets().files());
    this.conversations = new ConversationWriter(state.home());
    this.servers = servers;
    this.background = background;
    this.screen = screen;
    this.cuts = cuts;
    this.prompted = prompted;
    this.session = session;
    this.progress = progress;
    this.log = log;
    run.running().add(step, this);
  }

  /** The message of the gateway when a budget has stopped the agent; null while none has. */
  @Nullable String overBudget() {
    return overBudget;
  }

  @Override
  public void append(JournaledAnswer answer) throws IOException, InterruptedException {
    run.control().enterAside();
    try {
      TraceEvent.ModelAnswered event = event(answer);
      run.append(event);
      progress.answered(event);
      cuts.happened(event);
      lastAnswer = event.providerRequestId();
    } catch (StoreException | JournalException e) {
      throw new IOException("the answer cannot be journaled: " + e.getMessage(), e);
    } finally {
      run.control().leave();
    }
  }

  /** Records an answer that the agent itself has reported. */
  void report(TraceEvent.ModelAnswered reported) throws InterruptedException {
    run.journal().send(reported);
    progress.reported();
    cuts.happened(reported);
    lastAnswer = reported.providerRequestId();
  }

  private TraceEvent.ModelAnswered event(JournaledAnswer answer)
      throws StoreException, InterruptedException {
    JsonNode content = answer.answer();
    return new TraceEvent.ModelAnswered(
        step,
        answer.conversation(),
        answer.key(),
        answer.affinity(),
        answer.form(),
        answer.model(),
        content == null ? null : packed(content),
        answer.providerRequestId(),
        answer.usage() == null ? null : TokenUsageMapper.toTrace(answer.usage()),
        answer.cost(),
        answer.millis(),
        answer.tools().stream()
            .limit(TraceEvent.ModelAnswered.MAX_TOOLS)
            .map(name -> TextShortener.truncate(name, MAX_TOOL_NAME))
            .toList(),
        content != null && diverged.remove(answer.key()));
  }

  private Output packed(JsonNode content) throws StoreException, InterruptedException {
    boolean room = inlineBytes.get() < MAX_INLINE;
    Output output = room ? run.blobs().pack(content) : run.blobs().pack(content, 0);
    if (output instanceof Output.Inline(JsonNode value)) {
      inlineBytes.addAndGet(dev.baton.protocol.json.JsonLengthCalculator.of(value));
    }
    return output;
  }

  @Override
  public void capture(BoundaryPoint point) throws IOException, InterruptedException {
    capture(point.number(), point.lastCalls(), point);
  }

  /**
   * Captures files and agent state.
   *
   * @param lastCalls ids of the calls whose results the agent's files have to contain
   * @param point null for an agent with its own login, whose requests are not known
   */
  void capture(int number, List<String> lastCalls, @Nullable BoundaryPoint point)
      throws IOException, InterruptedException {
    if (!cuts.isEver() || mayLackPrompt(lastCalls)) {
      return; // A resume starts before this boundary, and all answers since stay in the journal.
    }
    String id = sessionId();
    if (!driver.settled(state.home(), id, lastCalls, SETTLED_WITHIN)) {
      throw new IOException("the agent's files do not have the newest results");
    }
    if (!cuts.isDue()) {
      return;
    }
    capturing.lockInterruptibly();
    try {
      if (closed) {
        throw new IOException("the agent has ended");
      }
      Map<String, Manifest.Contribution> contributors = new TreeMap<>(servers.capture());
      contributors.putAll(screen.capture());
      run.control().enterAside();
      try {
        captureTurn(id, number, point, contributors);
      } catch (JournalException e) {
        throw new IOException("the checkpoint cannot be recorded: " + e.getMessage(), e);
      } finally {
        run.control().leave();
      }
    } finally {
      capturing.unlock();
    }
  }

  /**
   * Whether the agent's files may not have the prompt yet that continues an older conversation:
   * they do once they have a result that came after it.
   */
  private boolean mayLackPrompt(List<String> lastCalls) {
    if (prompted && lastCalls.isEmpty()) {
      return true;
    }
    prompted = false;
    return false;
  }

  private void captureTurn(
      String id,
      int number,
      @Nullable BoundaryPoint point,
      Map<String, Manifest.Contribution> contributors)
      throws IOException, InterruptedException {
    CaptureResult result =
        CheckpointRecorder.makeTurn(
            run,
            workspace,
            step,
            visit,
            new AgentCapture(
                state,
                new AgentTurn(driver.use(), id, number),
                () -> details(point, contributors),
                true));
    switch (result) {
      case CaptureResult.Failed(String reason) -> throw new IOException(reason);
      case CaptureResult.Made(Cut made) -> {
        progress.saved(made);
        cuts.captured();
      }
      case CaptureResult.Unchanged unchanged -> {}
    }
    inlineBytes.set(0);
  }

  /** Called by another thread while this one holds {@code capturing} and waits. */
  private AgentDetails details(
      @Nullable BoundaryPoint point, Map<String, Manifest.Contribution> contributors) {
    SpendTotal spent = ledger.total();
    Map<String, Manifest.Contribution> all = new TreeMap<>(contributors);
    if (point != null) {
      all.put(CONVERSATION, store(point));
    }
    List<Manifest.BackgroundProcess> processes = background.capture(all);
    return new AgentDetails(conversation(spent, lastAnswer), metrics(spent, tools), all, processes);
  }

  /**
   * Writes the conversation beside the agent's state; a fault is noted and keeps no boundary away.
   */
  private Manifest.Contribution store(BoundaryPoint point) {
    try {
      tools = conversations.write(point.conversation(), point.form(), point.body());
      return messages();
    } catch (IOException e) {
      log.note("the conversation cannot be stored: " + e);
      return Manifest.Contribution.failed(String.valueOf(e.getMessage()));
    }
  }

  private Manifest.Contribution messages() throws IOException {
    return Manifest.Contribution.of(Map.of("messages", conversations.messages()));
  }

  /**
   * Captures files together with what there is of the agent now: its conversation up to the newest
   * boundary, and its screen. Agents do not resume with it. Boundaries wait until it ends.
   *
   * @param files captures them with the agent's part; its argument is null where there is none
   */
  CaptureResult captureRequested(RequestedCapture files) throws InterruptedException {
    capturing.lockInterruptibly();
    try {
      return files.capture(closed ? null : current());
    } finally {
      capturing.unlock();
    }
  }

  /** Captures files with a part of the agent. */
  interface RequestedCapture {
    CaptureResult capture(@Nullable AgentCapture agent) throws InterruptedException;
  }

  private @Nullable AgentCapture current() throws InterruptedException {
    Map<String, Manifest.Contribution> contributors = new TreeMap<>(screen.capture());
    try {
      if (conversations.messages() > 0) {
        contributors.put(CONVERSATION, messages());
      }
    } catch (IOException e) {
      contributors.put(CONVERSATION, Manifest.Contribution.failed(String.valueOf(e.getMessage())));
    }
    if (contributors.isEmpty()) {
      return null;
    }
    SpendTotal spent = ledger.total();
    AgentDetails details =
        new AgentDetails(
            new Manifest.Conversation(turns(spent), lastAnswer, spent.usage().total(), false),
            metrics(spent, tools),
            contributors,
            List.of());
    return new AgentCapture(
        requested, new AgentTurn(driver.use(), session.getNow(null), 0), () -> details, false);
  }

  private static int turns(SpendTotal spent) {
    return (int) Math.min(spent.turns(), Integer.MAX_VALUE);
  }

  static Manifest.Conversation conversation(SpendTotal spent, @Nullable String lastAnswer) {
    return new Manifest.Conversation(turns(spent), lastAnswer, spent.usage().total(), true);
  }

  static Manifest.Metrics metrics(SpendTotal spent, List<String> tools) {
    return new Manifest.Metrics(spent.cost().doubleValue(), tools, 0);
  }

  private String sessionId() throws IOException, InterruptedException {
    try {
      return session.get(SESSION_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new IOException("the agent has not reported its session", e);
    }
  }

  @Override
  public Standing await(Duration max) throws InterruptedException {
    if (run.control().stopped() == StopReason.FENCED) {
      return Standing.FENCED;
    }
    boolean held = run.control().hold().await(max);
    if (run.control().stopped() == StopReason.FENCED) {
      return Standing.FENCED;
    }
    return held ? Standing.HELD : Standing.SUSPENDED;
  }

  @Override
  public void diverged(String conversation, String key, int answersLeft) {
    diverged.add(key);
    log.note(
        "the agent continues otherwise than before: %d journaled answers are left"
            .formatted(answersLeft));
  }

  @Override
  public void retried(String conversation, int attempt, String reason, Duration delay) {
    log.note(
        "model: attempt %d failed, retrying in %d ms: %s"
            .formatted(attempt, delay.toMillis(), reason));
  }

  @Override
  public void brokenOff(String conversation, String reason) {
    log.note("model: an answer broke off: " + reason);
  }

  @Override
  public void budgetStopped(String budget, String message) {
    overBudget = message;
    log.note(message);
  }

  @Override
  public void boundaryFailed(int number, String reason) {
    LOG.warnf(
        "run %s, step '%s': boundary %d was not captured; a resume starts at an older one: %s",
        run.run(), step, number, reason);
  }

  @Override
  public void boundaryUnreachable(List<String> openCalls) {
    log.note("no boundary between turns for a long time; open calls: " + openCalls);
  }

  /** Ends captures: when this returns there is none in progress, and none will follow. */
  @Override
  public void close() {
    run.running().remove(step, this);
    capturing.lock();
    try {
      closed = true;
    } finally {
      capturing.unlock();
    }
  }
}
