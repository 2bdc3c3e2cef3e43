/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.gateway.spend.BudgetExceededException;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.protocol.conversation.ConversationFolder;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.agents.PromptImageResolver;
import dev.baton.runner.background.BackgroundFiles;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.capture.AgentDetails;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.sandbox.SandboxException;
import dev.baton.runner.sandbox.StepSandbox;
import dev.baton.runner.steps.MilestoneVerifier;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /** Characters of the reason why a session is lost. */
  private static final int MAX_REASON = 1_000;

  /** Folder of an agent step with what the agent keeps. */
  private static final String HOME = "home";

  private final RunExecutionContext run;
  private final StepContext context;
  private final Workspace workspace;
  private final AgentProgressTracker progress;
  private final boolean cuts;
  private final StepLog log;
  private final ToolApprovalRequester approvals;
  private final AgentStartFactory starts;
  private final AgentResultFactory results;

  /**
   * Id of the checkpoint on whose files the next process starts; null for those before the step.
   */
  private @Nullable String resumedFrom;

  private Optional<AgentCapture> conversation = Optional.empty();

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
    this.results = new AgentResultFactory(log);
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
    if (!kind.usesGateway() && !StepKind.Agent.USES_WITHOUT_GATEWAY.contains(kind.use())) {
      return StepResult.failedForGood(
          "agent_unknown",
          "the agent '%s' cannot run with 'gateway: off'; those that can: %s"
              .formatted(kind.use(), String.join(", ", StepKind.Agent.USES_WITHOUT_GATEWAY)));
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

  private StepResult executeOnce(StepKind.Agent kind, AgentDriver driver)
      throws AgentLostException, InterruptedException {
    AgentRuntime agents = run.executors().agents();
    try (AgentProcessLauncher launcher =
        new AgentProcessLauncher(
            context.hold(), workspace.root(), context.fixed(), context.marks(), sandbox())) {
      if (context.sandbox().isPresent()) {
        context.sandbox().get().check(kind);
      }
      SpendLedger ledger = run.ledgers().ledger(context.step(), kind.budget(), agents.prices());
      ledger.check();
      return execute(kind, driver, ledger, launcher);
    } catch (BudgetExceededException e) {
      return results.budget(String.valueOf(e.getMessage()));
    } catch (AgentProgramException e) {
      return StepResult.failedForGood("agent_program", String.valueOf(e.getMessage()));
    } catch (ExpressionException e) {
      return StepResult.failed(e);
    } catch (SandboxException e) {
      return StepResult.failedForGood(e.code(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("stopped").initCause(e);
      }
      return StepResult.failed("agent_start", "cannot start the agent: " + e.getMessage());
    }
  }

  private Optional<StepSandbox> sandbox() {
    return context
        .sandbox()
        .map(sandbox -> sandbox.ofAgent(run.folder().agent(context.step()).resolve(HOME)));
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
            folder.resolve(HOME),
            folder.resolve("state"),
            BackgroundFiles.state(AgentMcpRuntime.stateFiles(kind.mcp(), driver.stateFiles())),
            run.secrets().files());
    Path seen = context.fixed().seen(workspace.root());
    AgentFolders folders = new AgentFolders(seen, state.home());
    AgentHomeRestorer homes =
        new AgentHomeRestorer(context, workspace, driver, folders, program, launcher);
    boolean restored = homes.restore(state, progress.boundary());
    EarlierConversation earlier =
        restored
            ? EarlierConversation.NONE
            : EarlierConversation.restore(kind, run.memory(), homes, state);
    String degraded = earlier.missing();
    if (degraded != null) {
      log.note("the step begins in a new session: " + degraded);
    }
    AgentStart start = starts.start(kind, restored, earlier);
    String session = start.resumedSession();
    AgentLaunch launch =
        new AgentLaunch(
            context.step(),
            program,
            folders,
            access(kind),
            start,
            new AgentLaunch.AgentTask(
                kind.system().map(text -> text.render(context.scope())).orElse(""),
                ToolRulesMapper.rules(kind),
                List.of(),
                List.of(),
                kind.output().map(schema -> schema.json().toString()).orElse(""),
                run.executors().agents().contextLimit(kind),
                kind.interactive()),
            environment(kind));
    PromptImageResolver images = new PromptImageResolver(workspace.root());
    if (session == null || !restored) {
      launch = launch.withImages(images.resolve(kind.images(), context.scope()));
    }
    AgentProcessExecutor process =
        new AgentProcessExecutor(
            run, context, workspace, progress, approvals, kind, driver, ledger, launcher, state,
            log, results);
    StepResult result = process.execute(launch, resumedFrom, degraded);
    if (result instanceof StepResult.Failed failed
        && failed.error().code().equals(AgentResultFactory.REFUSED)
        && session != null) {
      log.note(
          "the agent's session cannot be resumed; it continues in a new one: "
              + failed.error().message());
      result =
          process.execute(
              launch
                  .withStart(starts.fallback(kind, session, earlier))
                  .withImages(imagesLeft(images, kind)),
              resumedFrom,
              TextShortener.shorten(failed.error().message(), MAX_REASON));
    }
    String ended = progress.session();
    if (result instanceof StepResult.Done
        && ended != null
        && run.continued().contains(StepPath.idOf(context.step()))) {
      conversation = Optional.of(conversation(driver, ledger, folder, ended));
    }
    return result;
  }

  /** Describes the conversation of a process that has ended: without the state of MCP servers. */
  private AgentCapture conversation(
      AgentDriver driver, SpendLedger ledger, Path folder, String session) {
    return new AgentCapture(
        new AgentStateTree(
            folder.resolve(HOME),
            folder.resolve("state"),
            file -> ConversationFolder.contains(file) || driver.stateFiles().contains(file),
            run.secrets().files()),
        new AgentTurn(driver.use(), session, 0),
        () ->
            new AgentDetails(
                AgentSessionRecorder.conversation(ledger.total(), null),
                AgentSessionRecorder.metrics(ledger.total(), List.of()),
                Map.of(),
                List.of()),
        true);
  }

  /** Returns the conversation at the end of the step; empty unless a later step continues it. */
  Optional<AgentCapture> conversation() {
    return conversation;
  }

  /** Returns the images of the prompt; none when the lost session has moved one of them. */
  private List<Path> imagesLeft(PromptImageResolver images, StepKind.Agent kind) {
    try {
      return images.resolve(kind.images(), context.scope());
    } catch (IOException e) {
      log.note("the new session begins without images: " + e.getMessage());
      return List.of();
    }
  }

  private AgentLaunch.ModelAccess access(StepKind.Agent kind)
      throws AgentProgramException, IOException {
    AgentRuntime agents = run.executors().agents();
    if (kind.login().isPresent()) {
      return AgentLaunch.ModelAccess.ownLogin(
          agents.login(kind.login().get()), kind.model().orElse(""));
    }
    return new AgentLaunch.ModelAccess(
        agents.gateway().baseUrl(), "", kind.model().or(agents::model).orElse(""));
  }

  /** Returns the step's environment without what steers agents; a driver adds its own. */
  private Map<String, String> environment(StepKind.Agent kind) {
    Map<String, String> variables = new TreeMap<>(MilestoneVerifier.environment(kind, context));
    variables.keySet().removeIf(name -> name.startsWith("XDG_"));
    return variables;
  }
}
