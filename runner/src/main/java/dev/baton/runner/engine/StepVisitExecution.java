/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.milestone.MilestoneException;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.state.StateSizeTracker;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.LogTail;
import dev.baton.protocol.trace.Milestone;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepFlow;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.StepResumeMode;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Executes one visit of a step: its condition, its attempts, and the event that ends it. When a
 * method returns, the events that the next effect relies on are on the log. For one use and one
 * thread.
 */
final class StepVisitExecution {
  private static final Logger LOG = Logger.getLogger(StepVisitExecution.class);

  private final RunExecutionContext run;
  private final BranchExecution line;
  private final Step step;
  private final String path;
  private final int visit;
  private final Optional<StepState> left;
  private final @Nullable Workspace workspace;

  /**
   * The files that the step itself writes; null for a parallel step, whose branches write theirs.
   */
  private final @Nullable Workspace written;

  private final boolean parallel;
  private final StepAttemptExecutor engine;

  /** Whether the event that ends the visit is on the trace: there must not be a second one. */
  private boolean over;

  StepVisitExecution(RunExecutionContext run, BranchExecution line, Step step) {
    this.run = run;
    this.line = line;
    this.step = step;
    this.path = line.path(step);
    this.visit = run.memory().nextVisit(path);
    this.left = run.memory().takeOpen(path, visit);
    // A parallel step whose branches use files changes the files of this line when it merges them.
    this.workspace = step.usesFiles() ? line.workspace() : null;
    this.parallel = step.kind() instanceof StepKind.Parallel;
    this.written = parallel ? null : workspace;
    this.engine = new StepAttemptExecutor(run, line, step, path, visit, left);
  }

  /**
   * @throws BranchFailedException when no attempt is left, or the step may not run at all
   */
  void run() throws InterruptedException, BranchFailedException {
    run.progress().begin(path, !parallel);
    try {
      if (step.maxVisits().isPresent() && visit > step.maxVisits().getAsInt()) {
        String most = "the step may run at most " + step.maxVisits().getAsInt() + " times";
        // Regardless of the workflow's handling of failures: continuing would break the limit.
        throw failLine(1, Failure.of("max_visits", most), null);
      }
      try {
        if (left.filter(state -> state.status() == StepState.Status.SKIPPING).isPresent()) {
          skip("requested at the resume");
        } else if (isWanted()) {
          attempts();
        } else {
          skip("when is false");
        }
      } catch (RuntimeException | Error e) {
        fail(1, unexpected(e));
      }
    } finally {
      run.progress().end(!parallel);
    }
  }

  private boolean isWanted() {
    return step.when().isEmpty() || step.when().get().test(line.scope());
  }

  private void skip(String reason) throws InterruptedException {
    if (left.isPresent()) {
      goBack(); // The files may be those of a checkpoint inside the step.
    }
    StepFlow.Way way = line.skipped(step);
    // Not waited for: later events come after it on the log.
    run.journal().send(new TraceEvent.StepSkipped(path, visit, reason, paths(way)));
    over = true;
    ended(way);
  }

  private void attempts() throws InterruptedException, BranchFailedException {
    int attempt =
        1
            + left.filter(state -> state.status() != StepState.Status.FAILED)
                .map(StepState::failedAttempts)
                .orElse(0);
    while (true) {
      Instant startedAt = Instant.now();
      long began = System.nanoTime();
      StepResult result = attempt(attempt);
      switch (result) {
        case StepResult.Done done -> {
          StepResult.Failed late = completeOrFail(done, attempt, startedAt, began);
          if (late == null) {
            return;
          }
          if (!retryOrFail(attempt, late)) {
            return;
          }
        }
        case StepResult.Failed failed -> {
          if (!retryOrFail(attempt, failed)) {
            return;
          }
        }
      }
      attempt++;
    }
  }

  private StepResult attempt(int attempt) throws InterruptedException {
    run.control().hold().await();
    Deadline deadline = step.timeout().map(Deadline::after).orElse(Deadline.NONE);
    if (run.deadline().isPast()) {
      return StepResult.failedForGood("deadline_exceeded", "the run's deadline is past");
    }
    try {
      prepareWorkspace(attempt);
    } catch (RuntimeException | Error e) {
      return unexpected(e);
    }
    try (PeriodicCheckpointer periodic = periodicCheckpoints()) {
      StepResult result = execute(attempt, deadline.earlier(run.deadline()));
      if (run.control().isInterrupting()) {
        throw new InterruptedException("stopped");
      }
      return result;
    } catch (InterruptedException e) {
      StopReason stop = run.control().stopped();
      if (stop == StopReason.SHUTDOWN || (stop == StopReason.PAUSED_NOW && isResumable())) {
        saveForShutdown();
      }
      throw e;
    }
  }

  /**
   * Executes the attempt. Any exception here fails the attempt; it does not end the run on this
   * runner.
   */
  private StepResult execute(int attempt, Deadline deadline) throws InterruptedException {
    try {
      StepResult result = engine.execute(attempt, deadline);
      return result instanceof StepResult.Done done && step.milestone().isPresent()
          ? engine.verify(step.milestone().get(), done, attempt)
          : result;
    } catch (RuntimeException | Error e) {
      return unexpected(e);
    }
  }

  private StepResult.Failed unexpected(Throwable thrown) throws InterruptedException {
    if (over) {
      throw new RunBrokenException(
          "step '" + path + "' has ended, and the run cannot continue", thrown);
    }
    return UnexpectedFailurePolicy.failure(run, path, thrown);
  }

  private PeriodicCheckpointer periodicCheckpoints() {
    return written == null
        ? PeriodicCheckpointer.none()
        : PeriodicCheckpointer.start(
            run, written, path, visit, isResumable() && !(step.kind() instanceof StepKind.Agent));
  }

  private boolean isResumable() {
    return step.resume() == StepResumeMode.FROM_CHECKPOINT;
  }

  /**
   * Lets the attempt start on the files before the step, or, if the step resumes from checkpoints
   * and no attempt has started in this epoch, on those of the newest one inside it.
   */
  private void prepareWorkspace(int attempt) throws InterruptedException {
    if (written == null) {
      return;
    }
    Optional<Cut> inside =
        isResumable()
            ? left.map(StepState::resumePoint).filter(written::isResumedAt)
            : Optional.empty();
    if (inside.isEmpty()) {
      goBack();
    }
    engine.startFrom(inside.map(Cut::checkpoint).orElse(null));
    written.touch(
        isResumable() ? new StepAttempt(path, visit, attempt) : null,
        step.kind() instanceof StepKind.Agent);
  }

  private void goBack() throws InterruptedException {
    if (written == null) {
      return;
    }
    try {
      written.goBack();
    } catch (StoreException | IOException e) {
      throw new RunBrokenException("the files before step '" + path + "' cannot be restored", e);
    }
  }

  /**
   * @return whether another attempt follows; otherwise the visit has ended with the failure
   */
  private boolean retryOrFail(int attempt, StepResult.Failed failed)
      throws InterruptedException, BranchFailedException {
    boolean again =
        failed.mayPass() && step.retry().allowsAfter(attempt) && !run.deadline().isPast();
    if (!again) {
      fail(attempt, failed);
      return false;
    }
    Duration delay = step.retry().delayAfter(attempt);
    if (written != null) {
      written.endAttempt();
    }
    run.append(
        new TraceEvent.StepRetried(
            path,
            step.kind().word(),
            visit,
            attempt,
            failed.error(),
            delay.toMillis(),
            failed.log()));
    run.control().sleep(run.deadline().leftAtMost(delay));
    return true;
  }

  /**
   * Ends the visit with a failure, if the workflow defines what follows.
   *
   * @throws BranchFailedException if it does not, or if no time is left for it
   */
  private void fail(int attempt, StepResult.Failed failed)
      throws InterruptedException, BranchFailedException {
    if (run.deadline().isPast()) {
      throw failLine(
          attempt, Failure.of("deadline_exceeded", "the run's deadline is past"), failed.log());
    }
    Optional<StepFlow.Way> way;
    try {
      way = line.failed(step, failed.error());
    } catch (RuntimeException | Error e) {
      throw failLine(attempt, unexpected(e).error(), failed.log());
    }
    if (way.isEmpty()) {
      throw failLine(attempt, failed.error(), failed.log());
    }
    Optional<Cut> cut = cut(CheckpointTrigger.STEP, null);
    run.append(
        new TraceEvent.StepFailed(
            path,
            step.kind().word(),
            visit,
            attempt,
            failed.error(),
            failed.log(),
            paths(way.get()),
            cut.orElse(null),
            workspace != null && cut.isEmpty()));
    over = true;
    ended(way.get());
  }

  private BranchFailedException failLine(int attempt, Failure error, @Nullable LogTail log)
      throws InterruptedException {
    saveForInspection();
    run.journal()
        .send(
            new TraceEvent.StepFailed(
                path, step.kind().word(), visit, attempt, error, log, null, null, false));
    over = true;
    return new BranchFailedException(path, error);
  }

  /** Cuts the files as the step left them; empty if it has none, or if they cannot be stored. */
  private Optional<Cut> cut(CheckpointTrigger trigger, @Nullable AgentCapture agent)
      throws InterruptedException {
    if (workspace == null) {
      return Optional.empty();
    }
    Optional<Cut> cut = Optional.empty();
    try {
      cut = workspace.cut(run.checkpoints().describe(trigger, path, visit), agent);
      if (cut.isEmpty() && agent != null) {
        // The files do not depend on the conversation.
        engine.dropConversation();
        cut = workspace.cut(run.checkpoints().describe(trigger, path, visit), null);
      }
    } catch (RuntimeException | Error e) {
      UnexpectedFailurePolicy.passOn(run, e);
      LOG.warnf(
          e,
          "run %s, step '%s': cut of the files failed; the run continues without it",
          run.run(),
          path);
    }
    if (cut.isEmpty()) {
      workspace.goAhead();
    }
    return cut;
  }

  /**
   * Calls {@link #complete}; an exception before the step's end is on the trace fails the attempt.
   */
  private StepResult.@Nullable Failed completeOrFail(
      StepResult.Done done, int attempt, Instant startedAt, long began)
      throws InterruptedException, BranchFailedException {
    JsonNode before = line.entry(step);
    try {
      return complete(done, attempt, startedAt, began);
    } catch (RuntimeException | Error e) {
      StepResult.Failed failed = unexpected(e);
      line.restoreEntry(step, before);
      return failed;
    }
  }

  /** Returns null when the step has ended; otherwise why its result could not be stored. */
  private StepResult.@Nullable Failed complete(
      StepResult.Done done, int attempt, Instant startedAt, long began)
      throws InterruptedException, BranchFailedException {
    Output output;
    try {
      output =
          OutOfMemoryRetrier.endure(
              "run " + run.run() + ", output of step '" + path + "'",
              () -> run.blobs().pack(done.output(), inlineLimit()));
    } catch (StoreException e) {
      String message = String.valueOf(e.getMessage());
      return (StepResult.Failed)
          (e.isTemporary()
              ? StepResult.failed("store_unavailable", message)
              : StepResult.failedForGood("output_invalid", message));
    }
    Optional<StepResult.Failed> tooLarge = stateTooLarge(output);
    if (tooLarge.isPresent()) {
      return tooLarge.get();
    }
    if (step.milestone().isEmpty() || workspace == null) {
      end(done, output, null, attempt, startedAt, began);
      return null;
    }
    // One at a time until it is on the trace, so that the numbers have neither gaps nor duplicates.
    try (MilestoneSequencer.Turn turn = run.memory().milestones().begin()) {
      Milestone made =
          StepMilestoneRecorder.commit(
              run,
              new LogAttempt(path, visit, attempt),
              step.milestone().get(),
              turn.index(),
              workspace.root(),
              workspace.missing(),
              engine.environment(attempt));
      end(done, output, made, attempt, startedAt, began);
      turn.made(path, made.index());
      return null;
    } catch (MilestoneException e) {
      String message = StepResult.shorten(String.valueOf(e.getMessage()));
      return new StepResult.Failed(
          Failure.of("milestone_failed", message), e.mayPass(), done.log());
    }
  }

  /** The answer of an approval stays inline, because the fold evaluates it. */
  private int inlineLimit() {
    return step.kind() instanceof StepKind.Approval
        ? Output.INLINE_LIMIT
        : run.memory().limiter().inlineLimit();
  }

  /** A run that cannot be resumed must not continue: its next runner could not get its state. */
  private Optional<StepResult.Failed> stateTooLarge(Output output) throws InterruptedException {
    long more = StateSizeTracker.completed(path, output);
    long excess = run.memory().limiter().excess(more);
    if (excess <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        (StepResult.Failed)
            StepResult.failedForGood(
                "state_too_large",
                "the state of the run would have %d bytes; allowed: %d, seven eighths of the checkpoint-store's baton.snapshot.max-bytes"
                    .formatted(
                        run.memory().limiter().bytes() + more, run.memory().limiter().most())));
  }

  private void end(
      StepResult.Done done,
      Output output,
      @Nullable Milestone made,
      int attempt,
      Instant startedAt,
      long began)
      throws InterruptedException, BranchFailedException {
    StepFlow.Way way;
    try {
      way = line.completed(step, output, done.output());
    } catch (RuntimeException | Error e) {
      // Not a failure of the attempt: the step has done its work, and only its next step is
      // undecided.
      fail(attempt, unexpected(e));
      return;
    }
    CheckpointTrigger trigger = made == null ? CheckpointTrigger.STEP : CheckpointTrigger.MILESTONE;
    Optional<Cut> cut = cut(trigger, engine.conversation().orElse(null));
    if (made != null) {
      StepMilestoneRecorder.tell(run, path, made, cut);
    }
    run.append(
        new TraceEvent.StepCompleted(
            path,
            step.kind().word(),
            visit,
            attempt,
            output,
            cut.orElse(null),
            workspace != null && cut.isEmpty(),
            paths(way),
            done.exitCode(),
            done.log(),
            startedAt,
            (System.nanoTime() - began) / 1_000,
            made == null ? null : made.index(),
            cut.isEmpty() ? null : engine.conversation().map(AgentCapture::atEnd).orElse(null)));
    over = true;
    ended(way);
  }

  private void ended(StepFlow.Way way) {
    run.memory().ended(path, visit);
    if (parallel) {
      run.memory().closeBranchesOf(path);
    }
    line.goTo(way);
  }

  private List<String> paths(StepFlow.Way way) {
    return way.to().map(line::path).map(List::of).orElse(List.of());
  }

  /** Saves the files as a permanently failed step left them. */
  private void saveForInspection() throws InterruptedException {
    if (written == null || !written.isTouched()) {
      return;
    }
    try {
      CheckpointRecorder.make(run, written, CheckpointTrigger.ERROR, path, visit, true);
    } catch (RuntimeException | Error e) {
      UnexpectedFailurePolicy.passOn(run, e);
      LOG.warnf(
          e, "run %s, step '%s': checkpoint of its failure could not be created", run.run(), path);
    }
  }

  /**
   * Saves the current files when the process is shut down in the middle of the step, if there is
   * still time.
   */
  private void saveForShutdown() {
    if (written == null) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      CheckpointRecorder.make(run, written, CheckpointTrigger.SHUTDOWN, path, visit, false);
    } catch (RuntimeException | InterruptedException e) {
      LOG.warnf("step '%s' of run %s was not cut before shutdown: %s", path, run.run(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
