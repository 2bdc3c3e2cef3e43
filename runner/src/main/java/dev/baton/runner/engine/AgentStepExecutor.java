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
import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.gateway.GatewaySession;
import dev.baton.gateway.SessionSpec;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.spend.BudgetExceededException;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import dev.baton.protocol.workflow.InputSchema;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.agents.PromptImageResolver;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.steps.MilestoneVerifier;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Executes one attempt of an agent step: restores the agent's state at the newest boundary, starts
 * or resumes its process with the journaled answers, and converts its end. For one use and one
 * thread.
 */
final class AgentStepExecutor {
  /** Resumes in a row after which an agent has ended without a new answer. */
  static final int MAX_RESUMES = 3;

  /**
   * Runners in a row that have died after a resume and before a new answer: more than resumes,
   * since a runner dies for many reasons that its agent has no part in.
   */
  static final int MAX_RUNNER_DEATHS = 10;

  private static final Duration MAX_REST = Duration.ofSeconds(20);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /** The longest time between two checks of an agent that neither ends nor hangs. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration MIN_WAIT = Duration.ofMillis(50);

  /** Characters of the reason why a session is lost. */
  private static final int MAX_REASON = 1_000;

  private final RunExecutionContext run;
  private final StepContext context;
  private final Workspace workspace;
  private final AgentProgressTracker progress;
  private final boolean cuts;
  private final StepLog log;
  private final ToolApprovalRequester approvals;
  private final AgentStartFactory starts;

  /**
   * Id of the checkpoint on whose files the next process starts; null for those before the step.
   */
  private @Nullable String resumedFrom;

  /**
   * @param left the visit as an earlier epoch left it; empty for an attempt that starts from the
   *     beginning
   * @param cuts whether boundaries become checkpoints that a new epoch continues with
   */
  AgentStepExecutor(
      RunExecutionContext run,
      StepContext context,
      Workspace workspace,
      Optional<StepState> left,
      boolean cuts) {
    this.run = run;
    this.context = context;
    this.workspace = workspace;
    this.progress =
        left.map(
                state ->
                    AgentProgressTracker.leftBehind(
                        run.memory().agent(context.step()),
                        context.visit(),
                        context.resumedFrom() == null ? null : state.resumePoint()))
            .orElseGet(AgentProgressTracker::fresh);
    this.cuts = cuts;
    this.log = context.log().get();
    this.resumedFrom = context.resumedFrom();
    this.approvals = new ToolApprovalRequester(run, context, workspace, progress, log);
    this.starts = new AgentStartFactory(context, progress);
  }

  StepResult execute(StepKind.Agent defined) throws InterruptedException {
    StepKind.Agent kind = starts.changed(defined);
    AgentRuntime agents = run.executors().agents();
    Optional<AgentDriver> driver = agents.drivers().find(kind.use());
    if (driver.isEmpty()) {
      return StepResult.failedForGood(
          "agent_unknown",
          "this runner has no agent '%s'; it has: %s"
              .formatted(kind.use(), String.join(", ", agents.drivers().uses())));
    }
    while (true) {
      if (progress.resumes() >= MAX_RESUMES) {
        return StepResult.failedForGood(
            "agent_stuck",
            "the agent was resumed %d times in a row without a new answer of its model; see its log, and resume the run to try again"
                .formatted(MAX_RESUMES));
      }
      if (progress.runnerDeaths() >= MAX_RUNNER_DEATHS) {
        return StepResult.failedForGood(
            "agent_stuck",
            "%d runners in a row died after they had resumed the agent and before a new answer of its model; see the ends of the runners, and resume the run to try again"
                .formatted(MAX_RUNNER_DEATHS));
      }
      try {
        return executeOnce(kind, driver.get());
      } catch (AgentLostException e) {
        log.note("the agent " + e.getMessage() + "; it is resumed at its newest boundary");
        saveForInspection();
        run.control().sleep(Backoff.delay(FIRST_PAUSE, MAX_PAUSE, 1 + progress.resumes()));
        returnToBoundary();
      }
    }
  }

  /** The process of the agent is gone, or hangs: it can be resumed. */
  private static final class AgentLostException extends Exception {
    private static final long serialVersionUID = 1L;

    AgentLostException(String message) {
      super(message);
    }
  }

  private StepResult executeOnce(StepKind.Agent kind, AgentDriver driver)
      throws AgentLostException, InterruptedException {
    AgentRuntime agents = run.executors().agents();
    try (AgentProcessLauncher launcher =
        new AgentProcessLauncher(
            context.hold(), workspace.root(), context.fixed(), context.marks())) {
      SpendLedger ledger = run.ledgers().ledger(context.step(), kind.budget(), agents.prices());
      ledger.check();
      return execute(kind, driver, ledger, launcher);
    } catch (BudgetExceededException e) {
      return budget(String.valueOf(e.getMessage()));
    } catch (AgentProgramException e) {
      return StepResult.failedForGood("agent_program", String.valueOf(e.getMessage()));
    } catch (ExpressionException e) {
      return StepResult.failed(e);
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("stopped").initCause(e);
      }
      return StepResult.failed("agent_start", "cannot start the agent: " + e.getMessage());
    }
  }

  /** Saves the files as the lost process has left them, for people. */
  private void saveForInspection() throws InterruptedException {
    CaptureResult saved =
        CheckpointRecorder.make(
            run, workspace, CheckpointTrigger.ERROR, context.step(), context.visit(), false);
    if (saved instanceof CaptureResult.Failed(String reason)) {
      log.note("the files at the agent's death cannot be saved: " + reason);
    }
  }

  /** Restores the files of the newest boundary, or those before the step. */
  private void returnToBoundary() throws InterruptedException {
    Cut boundary = progress.boundary();
    try {
      // What the lost process has changed since: the files are no longer those of the boundary.
      workspace.endAttempt();
      if (boundary == null) {
        workspace.goBack();
      } else {
        workspace.resume(workspace.cut().orElse(null), boundary);
      }
    } catch (StoreException | IOException e) {
      throw new RunBrokenException(
          "the files of the agent's boundary in step '" + context.step() + "' cannot be restored",
          e);
    }
    StepAttempt attempt = new StepAttempt(context.step(), context.visit(), context.attempt());
    workspace.touch(cuts ? attempt : null, true);
    resumedFrom = progress.checkpoint();
    run.journal()
        .send(
            new TraceEvent.StepStarted(
                context.step(), "agent", context.visit(), context.attempt(), resumedFrom));
  }

  private StepResult.Failed budget(String message) {
    return new StepResult.Failed(
        Failure.of("budget", StepResult.shorten(message)), false, log.tail());
  }

  private StepResult execute(
      StepKind.Agent kind, AgentDriver driver, SpendLedger ledger, AgentProcessLauncher launcher)
      throws IOException, AgentProgramException, AgentLostException, InterruptedException {
    CheckedProgram program =
        driver.check(
            new AgentProgram(
                kind.command(),
                kind.version().orElse(null),
                System.getenv().getOrDefault("PATH", "/usr/bin:/bin")),
            launcher);
    Path folder = run.folder().agent(context.step());
    AgentStateTree state =
        new AgentStateTree(
            folder.resolve("home"),
            folder.resolve("state"),
            AgentMcpRuntime.stateFiles(kind.mcp(), driver.stateFiles()));
    Path seen = context.fixed().seen(workspace.root());
    AgentFolders folders = new AgentFolders(seen, state.home());
    boolean restored = restore(state, driver, folders, program, launcher);
    AgentStart start = starts.start(kind, restored);
    String session = start.resumedSession();
    AgentLaunch launch =
        new AgentLaunch(
            context.step(),
            program,
            folders,
            new AgentLaunch.ModelAccess(
                run.executors().agents().gateway().baseUrl(),
                "",
                kind.model().or(run.executors().agents()::model).orElse("")),
            start,
            new AgentLaunch.AgentTask(
                kind.system().map(text -> text.render(context.scope())).orElse(""),
                ToolRulesMapper.rules(kind),
                List.of(),
                List.of(),
                kind.output().map(schema -> schema.json().toString()).orElse(""),
                run.executors().agents().contextLimit(kind)),
            environment(kind));
    PromptImageResolver images = new PromptImageResolver(workspace.root());
    if (session == null) {
      launch = launch.withImages(images.resolve(kind.images(), context.scope()));
    }
    StepResult result = attempt(kind, driver, ledger, launcher, state, launch, null);
    if (result instanceof StepResult.Failed failed
        && failed.error().code().equals(REFUSED)
        && session != null) {
      log.note(
          "the agent's session cannot be resumed; it continues in a new one: "
              + failed.error().message());
      return attempt(
          kind,
          driver,
          ledger,
          launcher,
          state,
          launch.withStart(starts.fallback(kind, session)).withImages(imagesLeft(images, kind)),
          TextShortener.shorten(failed.error().message(), MAX_REASON));
    }
    return result;
  }

  private static final String REFUSED = "agent_session_refused";

  /** Returns the images of the prompt; none when the lost session has moved one of them. */
  private List<Path> imagesLeft(PromptImageResolver images, StepKind.Agent kind) {
    try {
      return images.resolve(kind.images(), context.scope());
    } catch (IOException e) {
      log.note("the new session begins without images: " + e.getMessage());
      return List.of();
    }
  }

  /**
   * Restores the agent's home at the boundary whose files the workspace has, or empties it.
   *
   * @throws RunBrokenException when it is damaged: the run continues from an older boundary
   */
  private boolean restore(
      AgentStateTree state,
      AgentDriver driver,
      AgentFolders folders,
      CheckedProgram program,
      AgentProcessLauncher launcher)
      throws IOException, InterruptedException {
    Cut boundary = progress.boundary();
    if (boundary == null) {
      state.clear();
      return false;
    }
    try {
      Path oldWorkspace = workspace.restoreAgent(boundary, state).orElse(folders.workspace());
      relocate(driver, folders, oldWorkspace, program, launcher);
      return true;
    } catch (StoreException e) {
      throw new RunBrokenException(
          "the agent of step '" + context.step() + "' cannot be restored", e);
    }
  }

  /** Moves the state; a damaged one is left, since the start of the agent refuses its session. */
  private void relocate(
      AgentDriver driver,
      AgentFolders folders,
      Path oldWorkspace,
      CheckedProgram program,
      AgentProcessLauncher launcher)
      throws InterruptedException {
    try {
      driver.relocate(folders, oldWorkspace, program, launcher);
    } catch (IOException e) {
      log.note("the agent's state cannot be moved to this workspace: " + e.getMessage());
    }
  }

  /** Returns the step's environment without what steers agents; a driver adds its own. */
  private Map<String, String> environment(StepKind.Agent kind) {
    Map<String, String> variables = new TreeMap<>(MilestoneVerifier.environment(kind, context));
    variables.keySet().removeIf(name -> name.startsWith("XDG_"));
    return variables;
  }

  private StepResult attempt(
      StepKind.Agent kind,
      AgentDriver driver,
      SpendLedger ledger,
      AgentProcessLauncher launcher,
      AgentStateTree state,
      AgentLaunch launch,
      @Nullable String degraded)
      throws IOException, AgentProgramException, AgentLostException, InterruptedException {
    AgentEventRecorder events =
        new AgentEventRecorder(
            run,
            context.step(),
            driver.use(),
            log,
            progress.isBegun(),
            resumedFrom,
            degraded,
            approvals);
    approvals.begin(kind.ask().timeout(), launch.task().tools());
    progress.started();
    try (AgentMcpRuntime servers =
            AgentMcpRuntime.start(kind.mcp(), context, workspace, launch, log);
        AgentScreen screen = AgentScreen.open(kind, run, context.step(), state, log);
        AgentSessionRecorder recorder =
            new AgentSessionRecorder(
                run,
                context.step(),
                context.visit(),
                driver,
                ledger,
                workspace,
                state,
                servers,
                screen,
                cuts,
                events.session(),
                progress,
                log);
        GatewaySession gateway =
            run.executors()
                .agents()
                .gateway()
                .open(
                    new SessionSpec(
                        context.run(),
                        context.epoch(),
                        context.step(),
                        driver.family(),
                        ledger,
                        answers(),
                        recorder,
                        recorder,
                        recorder,
                        recorder))) {
      AgentSession agent =
          driver.start(
              launch
                  .withMcp(servers.accesses())
                  .withModel(
                      new AgentLaunch.ModelAccess(
                          launch.model().baseUrl(), gateway.token(), launch.model().model())),
              screen.starter(launcher),
              events);
      try {
        StepResult result = result(kind, agent, recorder, gateway, events);
        // Before their kill: servers may still write to the workspace.
        servers.close();
        return result;
      } finally {
        approvals.end();
        agent.kill();
        launcher.close();
        events.end();
        events.sessionId().ifPresent(progress::inSession);
      }
    }
  }

  /** Returns the answers since the boundary that the agent is resumed from. */
  private List<JournaledAnswer> answers() throws IOException, InterruptedException {
    List<JournaledAnswer> answers = new ArrayList<>();
    for (ModelAnswered answered : progress.answers()) {
      try {
        answers.add(
            new JournaledAnswer(
                answered.step(),
                answered.conversation(),
                answered.key(),
                answered.affinity(),
                answered.form(),
                answered.model(),
                answered.answer() == null ? null : run.blobs().unpack(answered.answer()),
                answered.providerRequestId(),
                answered.usage() == null ? null : TokenUsageMapper.fromTrace(answered.usage()),
                answered.cost(),
                answered.ms(),
                answered.tools()));
      } catch (StoreException e) {
        throw new IOException("a journaled answer cannot be fetched: " + e.getMessage(), e);
      }
    }
    return answers;
  }

  private StepResult result(
      StepKind.Agent kind,
      AgentSession agent,
      AgentSessionRecorder recorder,
      GatewaySession gateway,
      AgentEventRecorder events)
      throws AgentLostException, InterruptedException {
    AgentEnd end;
    try {
      Optional<AgentEnd> ended = await(agent, kind.idle(), gateway, events);
      if (ended.isEmpty()) {
        agent.interrupt();
        awaitRest(agent);
        return failed("timeout", "the agent was stopped at the step's timeout");
      }
      end = ended.get();
    } catch (ExecutionException e) {
      return failed("agent_failed", String.valueOf(e.getCause()));
    }
    String overBudget = recorder.overBudget();
    if (overBudget != null && end.kind() != AgentEnd.Kind.COMPLETED) {
      return budget(overBudget);
    }
    return switch (end.kind()) {
      case COMPLETED -> completed(kind, end);
      case FAILED -> failed("agent_failed", end.message());
      case DIED -> throw new AgentLostException("was " + end.message());
      case SESSION_REFUSED -> failed(REFUSED, end.message());
      case BUDGET -> budget(end.message());
      case KILLED -> failed("agent_failed", "the agent was killed: " + end.message());
    };
  }

  /**
   * Waits for the end of the agent.
   *
   * @return empty at the step's deadline
   * @throws AgentLostException when it hangs: it has no event, no request and no answer in progress
   *     for the whole {@code idle}
   */
  private Optional<AgentEnd> await(
      AgentSession agent, Duration idle, GatewaySession gateway, AgentEventRecorder events)
      throws AgentLostException, ExecutionException, InterruptedException {
    long heldNanos = System.nanoTime();
    while (!context.deadline().isPast()) {
      boolean waits = approvals.isOnlyWaiting();
      if (gateway.isAnswering() || context.hold().isSuspended() || waits) {
        heldNanos = System.nanoTime();
      }
      long quiet =
          Math.min(
              Math.min(events.quietNanos(), gateway.quietNanos()), System.nanoTime() - heldNanos);
      long left = idle.toNanos() - quiet;
      if (left <= 0) {
        throw new AgentLostException(
            "hangs: no event, request or answer for " + idle.toSeconds() + " s");
      }
      long wait =
          Math.min(
              Math.min(Math.max(left, MIN_WAIT.toNanos()), MAX_WAIT.toNanos()),
              context.deadline().leftOrForever().toNanos());
      CompletableFuture<?> next = CompletableFuture.anyOf(agent.end(), approvals.nextChange());
      if (waits) {
        awaitPeople(next, wait);
      } else {
        awaitAgent(next, wait);
      }
      if (agent.end().isDone()) {
        return Optional.of(agent.end().get());
      }
    }
    return Optional.empty();
  }

  private static void awaitAgent(CompletableFuture<?> next, long nanos)
      throws ExecutionException, InterruptedException {
    try {
      next.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException stillRunning) {
      // The next round looks whether it hangs.
      return;
    }
  }

  /**
   * Waits while the agent only waits for people, when a pause and the parking of the run stop it.
   *
   * @throws InterruptedException when the run is stopped: no decision reaches the agent then
   */
  private void awaitPeople(CompletableFuture<?> next, long nanos) throws InterruptedException {
    Duration most = approvals.leftAtMost(Duration.ofNanos(nanos));
    run.control().awaitUntilStopped(next, most);
    if (run.control().stopped() != null && approvals.seal()) {
      run.control().check();
    }
    approvals.expire();
  }

  private static void awaitRest(AgentSession agent) throws InterruptedException {
    try {
      agent.end().get(MAX_REST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      agent.kill();
    }
  }

  private StepResult.Failed failed(String code, String message) {
    return new StepResult.Failed(Failure.of(code, StepResult.shorten(message)), true, log.tail());
  }

  private StepResult completed(StepKind.Agent kind, AgentEnd end) {
    if (kind.output().isEmpty()) {
      return new StepResult.Done(TextNode.valueOf(end.text()), null, log.tail());
    }
    JsonNode value;
    try {
      value = Json.checkedTree(end.text());
    } catch (JsonProcessingException e) {
      return failed("output_invalid", "the final text is not JSON: " + e.getOriginalMessage());
    }
    List<InputSchema.Violation> wrong = kind.output().get().validate(value);
    return wrong.isEmpty()
        ? new StepResult.Done(value, null, log.tail())
        : failed(
            "output_invalid",
            "the final JSON does not fit its schema: '%s' %s"
                .formatted(wrong.getFirst().pointer(), wrong.getFirst().message()));
  }
}
