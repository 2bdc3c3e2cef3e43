/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.McpAccess;
import dev.baton.gateway.SessionSpec;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Executes processes of an agent step: opens a session of the model gateway with the journaled
 * answers, starts or resumes the agent, and waits for its end. For one thread.
 */
record AgentProcessExecutor(
    RunExecutionContext run,
    StepContext context,
    Workspace workspace,
    AgentProgressTracker progress,
    ToolApprovalRequester approvals,
    StepKind.Agent kind,
    AgentDriver driver,
    SpendLedger ledger,
    AgentProcessLauncher launcher,
    AgentStateTree state,
    StepLog log,
    AgentResultFactory results) {
  private static final Duration MAX_REST = Duration.ofSeconds(20);

  /** The longest time between two checks of an agent that neither ends nor hangs. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration MIN_WAIT = Duration.ofMillis(50);

  /**
   * Executes one process to its end.
   *
   * @param launch without token and MCP servers
   * @param resumedFrom id of the checkpoint on whose files it starts; null for those before the
   *     step
   * @param degraded why the session before was lost; null unless it was
   * @throws AgentProgramException when what its screen needs is not installed
   * @throws AgentLostException when the process dies or hangs: it can be resumed
   */
  StepResult execute(AgentLaunch launch, @Nullable String resumedFrom, @Nullable String degraded)
      throws IOException, AgentProgramException, AgentLostException, InterruptedException {
    AgentCutTracker cuts = new AgentCutTracker(kind.cut(), System::nanoTime, log::note);
    AgentEventRecorder events =
        new AgentEventRecorder(
            run,
            context.step(),
            driver.use(),
            log,
            progress.isBegun(),
            resumedFrom,
            degraded,
            approvals,
            cuts);
    approvals.begin(kind, launch.task().tools());
    progress.started();
    try (AgentBackgroundRuntime background =
            AgentBackgroundRuntime.start(
                kind.background(), run, context, workspace, launcher, launch, log);
        AgentMcpRuntime servers =
            AgentMcpRuntime.start(
                kind.mcp(), context, workspace, launch, run.executors().agents().tls(), log);
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
                background,
                screen,
                cuts,
                // Their files have a prompt before its request.
                (launch.start() instanceof AgentStart.Continue && !kind.interactive())
                    || (launch.start() instanceof AgentStart.Fork fork && fork.prompt() != null),
                events.session(),
                progress,
                log);
        AgentModelLink link = link(recorder, events)) {
      events.session().thenRun(background::agentIsReady);
      events.shownOn(screen);
      AgentLaunch whole =
          background
              .reported(launch)
              .withMcp(servers.accesses())
              .withModel(link.access(launch.model()));
      launcher.reach(ports(whole));
      AgentSession agent = driver.start(whole, screen.starter(launcher), events);
      try {
        StepResult result = result(kind, agent, recorder, link, events);
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

  /** Returns the ports of the runner's loopback that the agent uses. */
  private static Set<Integer> ports(AgentLaunch launch) {
    Set<Integer> ports = new TreeSet<>();
    if (!launch.model().isOwnLogin()) {
      ports.add(launch.model().baseUrl().getPort());
    }
    for (McpAccess access : launch.task().mcp()) {
      if (access instanceof McpAccess.Http http) {
        ports.add(http.url().getPort());
      }
    }
    return ports;
  }

  private AgentModelLink link(AgentSessionRecorder recorder, AgentEventRecorder events)
      throws IOException, InterruptedException {
    if (!kind.usesGateway()) {
      OwnLoginLink link = new OwnLoginLink(run, context.step(), recorder, progress, ledger, log);
      events.follow(link);
      return link;
    }
    return new GatewayLink(
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
                    recorder)));
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
      AgentModelLink link,
      AgentEventRecorder events)
      throws AgentLostException, InterruptedException {
    AgentEnd end;
    try {
      Optional<AgentEnd> ended = await(agent, kind.idle(), link, events);
      if (ended.isEmpty()) {
        String spent = recorder.overBudget();
        if (link.exhausted().isDone() && spent != null) {
          agent.kill();
          return results.budget(spent);
        }
        agent.interrupt();
        awaitRest(agent);
        return results.failed("timeout", "the agent was stopped at the step's timeout");
      }
      end = ended.get();
    } catch (ExecutionException e) {
      return results.failed("agent_failed", String.valueOf(e.getCause()));
    }
    String overBudget = recorder.overBudget();
    if (overBudget != null && end.kind() != AgentEnd.Kind.COMPLETED) {
      return results.budget(overBudget);
    }
    return switch (end.kind()) {
      case COMPLETED -> results.completed(kind, end);
      case FAILED -> results.failed("agent_failed", end.message());
      case DIED -> throw new AgentLostException("was " + end.message());
      case SESSION_REFUSED -> results.failed(AgentResultFactory.REFUSED, end.message());
      case BUDGET -> results.budget(end.message());
      case KILLED -> results.failed("agent_failed", "the agent was killed: " + end.message());
    };
  }

  /**
   * Waits for the end of the agent.
   *
   * @return empty at the step's deadline, and when a budget is used up
   * @throws AgentLostException when it hangs: it has no event, no request and no answer in progress
   *     for the whole {@code idle}
   */
  private Optional<AgentEnd> await(
      AgentSession agent, Duration idle, AgentModelLink link, AgentEventRecorder events)
      throws AgentLostException, ExecutionException, InterruptedException {
    long heldNanos = System.nanoTime();
    while (!context.deadline().isPast()) {
      boolean waits = approvals.isOnlyWaiting();
      if (link.isBusy() || context.hold().isSuspended() || waits) {
        heldNanos = System.nanoTime();
      }
      long quiet =
          Math.min(Math.min(events.quietNanos(), link.quietNanos()), System.nanoTime() - heldNanos);
      long left = idle.toNanos() - quiet;
      if (left <= 0) {
        throw new AgentLostException(
            "hangs: no event, request or answer for " + idle.toSeconds() + " s");
      }
      long wait =
          Math.min(
              Math.min(Math.max(left, MIN_WAIT.toNanos()), MAX_WAIT.toNanos()),
              context.deadline().leftOrForever().toNanos());
      CompletableFuture<?> next =
          CompletableFuture.anyOf(agent.end(), approvals.nextChange(), link.exhausted());
      if (waits) {
        awaitPeople(next, wait);
      } else {
        awaitAgent(next, wait);
      }
      if (agent.end().isDone()) {
        return Optional.of(agent.end().get());
      }
      if (link.exhausted().isDone()) {
        return Optional.empty();
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
}
