/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.MilestoneSettings;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.StepResumeMode;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.secrets.SecretUnavailableException;
import dev.baton.runner.secrets.TraceEventMasker;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.MilestoneVerifier;
import dev.baton.runner.steps.SharedProgramLimiter;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Executes the attempts of one visit: publishes their start if the trace requires it, and selects
 * the executor by the step's kind.
 */
final class StepAttemptExecutor {
  private final RunExecutionContext run;
  private final BranchExecution line;
  private final Step step;
  private final String path;
  private final int visit;
  private final Optional<StepState> left;
  private Optional<ParallelStepExecutor> parallel = Optional.empty();

  /** Id of the checkpoint inside the step on whose files the next attempt starts. */
  private @Nullable String resumedFrom;

  private Optional<AgentCapture> conversation = Optional.empty();

  /** Whether no attempt of this visit has started in this epoch. */
  private boolean untried = true;

  StepAttemptExecutor(
      RunExecutionContext run,
      BranchExecution line,
      Step step,
      String path,
      int visit,
      Optional<StepState> left) {
    this.run = run;
    this.line = line;
    this.step = step;
    this.path = path;
    this.visit = visit;
    this.left = left;
  }

  /**
   * @param checkpoint inside the step whose files are in the workspace; null for those before the
   *     step
   */
  void startFrom(@Nullable String checkpoint) {
    resumedFrom = checkpoint;
  }

  StepResult execute(int attempt, Deadline deadline) throws InterruptedException {
    return switch (step.kind()) {
      case StepKind.Approval approval ->
          new ApprovalStepExecutor(run, line, step, path, visit, left).execute(approval, deadline);
      case StepKind.Wait wait ->
          new WaitStepExecutor(run, line, path, visit, left).execute(wait, attempt, deadline);
      case StepKind.Parallel kind -> {
        announce(attempt);
        yield parallel(kind).attempt(deadline);
      }
      case StepKind.Transform transform -> leaf(transform, attempt, deadline);
      case StepKind.Shell shell -> leaf(shell, attempt, deadline);
      case StepKind.Http http -> leaf(http, attempt, deadline);
      case StepKind.Fn fn -> leaf(fn, attempt, deadline);
      case StepKind.Agent agent -> agent(agent, attempt, deadline);
    };
  }

  private StepResult agent(StepKind.Agent kind, int attempt, Deadline deadline)
      throws InterruptedException {
    run.control().hold().await();
    run.secrets().learn();
    Optional<StepState> lost = untried ? left : Optional.empty();
    untried = false;
    announce(attempt);
    AgentStepExecutor agent =
        new AgentStepExecutor(
            run,
            context(attempt, deadline),
            Objects.requireNonNull(line.workspace()),
            lost,
            step.resume() == StepResumeMode.FROM_CHECKPOINT);
    StepResult result = agent.execute(kind);
    conversation = agent.conversation();
    return masked(result);
  }

  /**
   * Returns the agent's conversation at the end of the newest attempt, for the cut at the end of
   * the step; empty unless the attempt has completed and a later step continues the conversation.
   */
  Optional<AgentCapture> conversation() {
    return conversation;
  }

  /** The conversation cannot be stored: a later step begins in a new session. */
  void dropConversation() {
    conversation = Optional.empty();
  }

  private StepResult leaf(StepKind kind, int attempt, Deadline deadline)
      throws InterruptedException {
    run.control().hold().await();
    run.secrets().learn();
    StepContext context = context(attempt, deadline);
    if (step.usesFiles()) {
      announce(attempt);
      return execute(kind, context);
    }
    try (var held = run.announcements().hold(run.journal(), began(attempt))) {
      return execute(kind, context);
    }
  }

  private StepResult execute(StepKind kind, StepContext context) throws InterruptedException {
    if (!(kind instanceof StepKind.Shell) || !run.sharesPrograms()) {
      return executeNow(kind, context);
    }
    Optional<SharedProgramLimiter.Place> place =
        run.executors().programs().acquire(context.deadline().leftOrForever());
    if (place.isEmpty()) {
      return StepResult.failed(
          "timeout", "the programs of other runs left no place for it on the shared runner");
    }
    try (var held = place.get()) {
      return executeNow(kind, context);
    }
  }

  private StepResult executeNow(StepKind kind, StepContext context) throws InterruptedException {
    try {
      return masked(
          OutOfMemoryRetrier.endure(
              "run " + run.run() + ", step '" + path + "'",
              () -> run.executors().execute(kind, context)));
    } catch (SecretUnavailableException e) {
      return unavailable(e);
    }
  }

  private static StepResult.Failed unavailable(SecretUnavailableException e) {
    String message = String.valueOf(e.getMessage());
    return (StepResult.Failed)
        (e.isTemporary()
            ? StepResult.failed("secret_unavailable", message)
            : StepResult.failedForGood("secret_unavailable", message));
  }

  /** Masks secrets before expressions and the trace get the result, which must be the same. */
  private StepResult masked(StepResult result) {
    SecretMasker masker = run.secrets().masker();
    if (masker.isEmpty()) {
      return result;
    }
    return switch (result) {
      case StepResult.Done done ->
          new StepResult.Done(masker.mask(done.output()), done.exitCode(), done.log());
      case StepResult.Failed failed ->
          new StepResult.Failed(
              new TraceEventMasker(masker).mask(failed.error()), failed.mayPass(), failed.log());
    };
  }

  /**
   * Runs the commands that must pass before the step's end becomes a milestone, one after the
   * other; each has the step's timeout.
   */
  StepResult verify(MilestoneSettings milestone, StepResult.Done done, int attempt)
      throws InterruptedException {
    for (String command : milestone.verify()) {
      Deadline deadline = step.timeout().map(Deadline::after).orElse(Deadline.NONE);
      Optional<StepResult.Failed> failed = verify(command, attempt, deadline);
      if (failed.isPresent()) {
        return failed.get();
      }
    }
    return done;
  }

  private Optional<StepResult.Failed> verify(String command, int attempt, Deadline deadline)
      throws InterruptedException {
    try {
      return MilestoneVerifier.run(
          command, step.kind(), context(attempt, deadline.earlier(run.deadline())));
    } catch (SecretUnavailableException e) {
      return Optional.of(unavailable(e));
    }
  }

  /** Returns the environment of the step's programs, without its secrets. */
  Map<String, String> environment(int attempt) {
    return MilestoneVerifier.environment(step.kind(), context(attempt, run.deadline()));
  }

  private void announce(int attempt) throws InterruptedException {
    run.journal().send(began(attempt));
  }

  private TraceEvent.StepStarted began(int attempt) {
    return new TraceEvent.StepStarted(path, step.kind().word(), visit, attempt, resumedFrom);
  }

  private ParallelStepExecutor parallel(StepKind.Parallel kind) {
    ParallelStepExecutor known =
        parallel.orElseGet(() -> new ParallelStepExecutor(run, line, path, kind));
    parallel = Optional.of(known);
    return known;
  }

  private StepContext context(int attempt, Deadline deadline) {
    return new StepContext(
        run.run(),
        run.epoch(),
        run.stepToken(),
        path,
        visit,
        attempt,
        line.scope(),
        this::directory,
        () -> run.log(path, visit, attempt),
        deadline,
        run.control().hold(),
        run.fixed(),
        run.executors().sandboxes().of(step.sandbox()),
        run.executors().environment(),
        run.secrets(),
        line.leftOut(),
        run.outputs().reads(step.id()),
        resumedFrom);
  }

  private Path directory() {
    try {
      return Files.createDirectories(line.directory());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
