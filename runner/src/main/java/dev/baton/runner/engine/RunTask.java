/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.OutputUsageAnalyzer;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.OutputBlobStore;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.checkpoint.ManifestBuilderFactory;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.journal.RunJournal;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.logs.RunLog;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.secrets.TraceEventMasker;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepResult;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Executes one run in one epoch, from its snapshot to its last event. */
public final class RunTask {
  private static final Logger LOG = Logger.getLogger(RunTask.class);

  private final RunAssignment assignment;
  private final RunnerContext services;
  private final RunLease hold;
  private final RunStopController control;
  private final RunProgressTracker progress;
  private final ApprovalAnswerRegistry answers = new ApprovalAnswerRegistry();
  private volatile RunParkingPolicy parking;
  private final RunJournal journal;
  private final RunLog log;
  private final SecretMasker masker = new SecretMasker();
  private final CompletableFuture<RunTaskOutcome> ended = new CompletableFuture<>();

  /** Orders the calls of the journal like the suspensions and resumptions of the run. */
  private final Object spooling = new Object();

  private volatile @Nullable ReplayedState memory;

  /** Whether the newest files are in no cut, so that only this host has them. */
  private boolean filesUncut;

  private final OnDemandCheckpointer requested;

  /**
   * @throws IllegalArgumentException when the heartbeat's timeout is too short for its interval
   */
  public RunTask(RunAssignment assignment, RunnerContext services) {
    this.assignment = assignment;
    this.services = services;
    this.hold =
        new RunLease(
            assignment.heartbeatInterval(),
            assignment.heartbeatTimeout(),
            System::nanoTime,
            this::suspended);
    this.control = new RunStopController(hold);
    this.progress = new RunProgressTracker(control);
    this.requested = new OnDemandCheckpointer(control);
    this.parking = new RunParkingPolicy(assignment.parkAfter(), control);
    this.journal =
        new RunJournal(
            assignment.run(),
            assignment.epoch(),
            assignment.home(),
            services.runner(),
            assignment.lease(),
            services.producer(),
            new TraceEventMasker(masker),
            services.spools(),
            this::sent,
            failure -> broken("the trace cannot be written", failure));
    this.log =
        services
            .logs()
            .open(
                new StoreCaller(
                    assignment.run(), assignment.epoch(), assignment.project(), assignment.lease()),
                masker);
    assignment.answers().forEach(answers::give);
  }

  private void sent(TraceEvent.Runner event) {
    ReplayedState known = memory;
    if (known != null) {
      known.sent(event);
    }
  }

  public RunAssignment assignment() {
    return assignment;
  }

  /** Completes, never exceptionally, when the run is no longer active in this process. */
  public CompletableFuture<RunTaskOutcome> ended() {
    return ended;
  }

  public void answer(String approval, JsonNode answer) {
    answers.give(approval, answer);
  }

  /** Returns at once; {@link #ended} completes when the run has stopped. */
  public void stop(StopReason reason) {
    // First, so that a thread that finds the journal closed also finds the reason.
    control.stop(reason);
    if (reason == StopReason.FENCED || reason == StopReason.CANCELLED) {
      journal.close();
    }
  }

  private void suspended() {
    LOG.warnf(
        "run %s, epoch %d is suspended: no heartbeat that was sent in the last %d ms has been"
            + " acknowledged",
        assignment.run(), assignment.epoch(), 2 * assignment.heartbeatInterval().toMillis());
    // The disk may be slow, and this is called under a lock.
    Thread.ofVirtual().name("spool-" + assignment.run()).start(this::spool);
  }

  private void spool() {
    synchronized (spooling) {
      if (hold.isSuspended()) {
        journal.beginSpool();
      }
    }
  }

  /**
   * Handles the orchestrator's confirmation that the run is still assigned to this epoch. Blocks
   * until the run is resumed.
   *
   * @param suspension the one that the request named
   */
  public void confirmed(long suspension) {
    StopReason stop = control.stopped();
    if (stop == StopReason.FENCED || !hold.confirmed(suspension)) {
      return;
    }
    LOG.infof("run %s, epoch %d continues", assignment.run(), assignment.epoch());
    synchronized (spooling) {
      if (!hold.isSuspended()) {
        journal.drainSpool();
      }
    }
  }

  private void endSpool(RunTaskOutcome outcome) {
    journal
        // Events of a cancelled run need not have been acknowledged.
        .endSpool(outcome.isEnd() && outcome != RunTaskOutcome.CANCELLED)
        .ifPresent(
            kept -> {
              String what =
                  "%d events of epoch %d that were not acknowledged when the runner was cut off are kept on %s in %s"
                      .formatted(
                          kept.events(), assignment.epoch(), HostNameReader.get(), kept.file());
              LOG.warnf("run %s: %s", assignment.run(), what);
              String step = progress.step();
              log.note(new LogAttempt(step == null ? "" : step, 1, 1), what);
            });
  }

  /** Executes the run. Blocks until it no longer needs this runner. */
  public void run() {
    HeartbeatPublisher.Beat beat =
        services
            .heartbeats()
            .start(
                assignment.run(),
                assignment.epoch(),
                assignment.lease(),
                assignment.heartbeatInterval(),
                assignment.heartbeatTimeout(),
                progress,
                hold,
                services.confirming());
    RunTaskOutcome outcome = RunTaskOutcome.BROKEN;
    try {
      outcome = carry();
    } finally {
      try {
        close(beat, outcome);
      } catch (RuntimeException | Error e) {
        LOG.errorf(e, "run %s: cleanup after its end failed", assignment.run());
      } finally {
        // Otherwise the runner would keep the run forever.
        ended.complete(outcome);
      }
    }
  }

  private void close(HeartbeatPublisher.Beat beat, RunTaskOutcome outcome) {
    requested.close();
    journal.close();
    if (outcome.isEnd()) {
      beat.end();
    } else {
      beat.stop();
    }
    endSpool(outcome);
    log.end();
    if (outcome == RunTaskOutcome.COMPLETED) {
      removeFiles();
    }
  }

  /**
   * Deletes the files of a completed run. They are in its last cut, unless that could not be
   * stored. The files of any other run are kept for inspection.
   */
  private void removeFiles() {
    Path folder = RunFolder.of(services.data(), assignment.run()).path();
    if (filesUncut) {
      LOG.warnf(
          "run %s has completed, but its last files could not be stored: they are kept in %s",
          assignment.run(), folder);
      return;
    }
    try {
      TreeDeleter.deleteFully(folder);
    } catch (IOException e) {
      LOG.warnf("%s cannot be deleted: %s", folder, e.getMessage());
    }
  }

  /** Whether the run ended because the trace cannot be written. */
  public boolean isJournalBroken() {
    return journal.isBroken();
  }

  private RunTaskOutcome carry() {
    try {
      control.enter();
      try {
        return walk();
      } finally {
        control.leave();
      }
    } catch (InterruptedException e) {
      Thread.interrupted();
      StopReason stop = control.stopped();
      return stop == null ? broken("interrupted", e) : stopped(stop);
    } catch (StoreException | RuntimeException | Error e) {
      StopReason stop = control.stopped();
      // A pause takes effect only once it is on the log, so the failure is handled as one, unless
      // the pause caused it by an interrupt.
      if (stop != null && stop.interrupts()) {
        return stopped(stop);
      }
      broken("the run cannot continue on this runner", e);
      return isTemporary(e) ? RunTaskOutcome.UNAVAILABLE : RunTaskOutcome.BROKEN;
    }
  }

  private static boolean isTemporary(Throwable failure) {
    return (failure instanceof RunBrokenException ? failure.getCause() : failure)
            instanceof StoreException e
        && e.isTemporary();
  }

  private RunTaskOutcome stopped(StopReason stop) {
    if (stop == StopReason.PARKED) {
      return parked();
    }
    if (stop.isPause()) {
      try {
        requested.close();
        journal.append(
            new TraceEvent.RunPaused(
                stop == StopReason.PAUSED ? "requested" : "requested immediately"));
      } catch (InterruptedException | JournalException e) {
        return broken("the run could not be paused", e);
      }
    }
    return RunTaskOutcome.of(stop);
  }

  private RunTaskOutcome parked() {
    Optional<TraceEvent.RunParked> event = parking.parked();
    if (event.isEmpty()) {
      // The run continues on another runner; here it has been stopped.
      return RunTaskOutcome.SHUTDOWN;
    }
    try {
      requested.close();
      journal.append(event.get());
      return RunTaskOutcome.PARKED;
    } catch (InterruptedException | JournalException e) {
      return broken("the run could not be parked", e);
    }
  }

  private RunTaskOutcome broken(String what, Throwable why) {
    if (control.stopped() != StopReason.BROKEN) {
      LOG.errorf(why, "run %s, epoch %d: %s", assignment.run(), assignment.epoch(), what);
    }
    control.stop(StopReason.BROKEN);
    return RunTaskOutcome.BROKEN;
  }

  private RunTaskOutcome walk() throws StoreException, InterruptedException {
    Instant assigned = Instant.now();
    RunState newest;
    try {
      newest = before();
    } catch (StoreException e) {
      if (!e.isStateTooLarge()) {
        throw e;
      }
      // The next runner could not get it either: the run ends with the reason. It can be resumed
      // after the store's limit is raised.
      String message = StepResult.shorten(String.valueOf(e.getMessage()));
      journal.append(new TraceEvent.RunFailed(null, Failure.of("state_too_large", message)));
      return RunTaskOutcome.FAILED;
    }
    Instant known = Instant.now();
    if (newest.head().epoch() > assignment.epoch()) {
      return RunTaskOutcome.FENCED;
    }
    if (newest.head().isEnded()) {
      filesUncut = !newest.head().uncommitted().isEmpty();
      return RunTaskOutcome.of(newest.head().status());
    }
    StateFallback fallback = new StateFallback(assignment, services.snapshots(), newest);
    while (true) {
      try {
        return walk(fallback, assigned, known);
      } catch (RunBrokenException e) {
        requested.close();
        fallback.passOver(e);
        if (!fallback.isPossible()) {
          journal.append(
              new TraceEvent.RunFailed(
                  null, Failure.of("checkpoint_damaged", fallback.description())));
          return RunTaskOutcome.FAILED;
        }
      }
    }
  }

  /** Executes the run from the state that the fallback has, which it announces first. */
  private RunTaskOutcome walk(StateFallback fallback, Instant assigned, Instant known)
      throws StoreException, InterruptedException {
    RunState before = fallback.state();
    parking = new RunParkingPolicy(assignment.parkAfter(), control);
    Workflow workflow =
        services.definitions().get(assignment.definitionHash(), assignment.definition());
    // No wait has begun yet.
    workflow
        .parkAfter()
        .ifPresent(after -> parking = RunParkingPolicy.asTheWorkflowSays(after, control));
    StoreCaller holder =
        new StoreCaller(
            assignment.run(), assignment.epoch(), assignment.project(), assignment.lease());
    OutputBlobStore blobs = new OutputBlobStore(services.store(), holder, masker);
    RunExecutionContext context = context(before, fallback.restarts(), workflow, blobs);
    Workspace workspace = workflow.flow().usesFiles() ? fallback.workspace(holder) : null;
    if (workspace != null) {
      workspace.leaveOut(
          workflow.exclude().map(ExcludePolicy::matching).orElseGet(ExcludePolicy::defaults),
          context.secrets().files());
    }
    BranchExecution main = BranchExecution.main(context, workflow.flow(), workspace);
    main.open();
    if (workspace != null) {
      requested.open(context, workspace);
    }
    Optional<TraceEvent.RunDegraded> loss = fallback.loss();
    if (loss.isPresent()) {
      // Waited for: no step may start from a state that the log does not have.
      journal.append(loss.get());
    }
    if (fallback.isRefused()) {
      // The orchestrator then loses the run, of which nothing is saved.
      throw new IllegalStateException(
          "no checkpoint can be restored, and the run says restart: never");
    }
    journal.send(started(before, main));
    if (before.head().resumed()) {
      // Not waited for: later events come after them on the log.
      for (StepState done : context.memory().completed()) {
        journal.send(TraceEvent.StepSkipped.replayed(done.step(), done.visit()));
      }
    }
    if (!assignment.fresh()) {
      tellResume(assigned, known, main);
    }
    try {
      parking.enter();
      Output output = blobs.unfolded(main.walk());
      filesUncut = workspace != null && !isLastFilesSaved(context, workspace);
      requested.close();
      journal.append(new TraceEvent.RunCompleted(output));
      return RunTaskOutcome.COMPLETED;
    } catch (BranchFailedException e) {
      requested.close();
      journal.append(new TraceEvent.RunFailed(e.step(), e.failure()));
      return RunTaskOutcome.FAILED;
    }
  }

  /** Creates the last checkpoint of the run, which has its results. */
  private static boolean isLastFilesSaved(RunExecutionContext context, Workspace workspace)
      throws InterruptedException {
    try {
      CaptureResult saved =
          CheckpointRecorder.make(context, workspace, CheckpointTrigger.COMPLETE, null, null, true);
      return saved instanceof CaptureResult.Made || !workspace.isAhead();
    } catch (RuntimeException | Error e) {
      UnexpectedFailurePolicy.passOn(context, e);
      LOG.warnf(e, "run %s: checkpoint of its end failed", context.run());
      return !workspace.isAhead();
    }
  }

  /**
   * Creates a requested checkpoint without stopping the run. Blocks.
   *
   * @param id the checkpoint's id
   * @return why there is none; empty when there is
   */
  public Optional<String> checkpoint(CheckpointTrigger trigger, String id) {
    return requested.make(trigger, id);
  }

  private void tellResume(Instant assigned, Instant known, BranchExecution main) {
    Instant now = Instant.now();
    LOG.infof(
        "run %s, epoch %d: continues after %d steps; its state took %d ms, its files %d ms; this"
            + " process is %d ms old",
        assignment.run(),
        assignment.epoch(),
        main.replayed(),
        Duration.between(assigned, known).toMillis(),
        Duration.between(known, now).toMillis(),
        ProcessHandle.current()
            .info()
            .startInstant()
            .map(start -> Duration.between(start, now).toMillis())
            .orElse(0L));
  }

  private RunState before() throws StoreException, InterruptedException {
    return assignment.fresh() && assignment.input().isPresent()
        ? RunState.empty(assignment.run())
        : services.snapshots().get(assignment.run(), assignment.epoch(), assignment.lease());
  }

  private TraceEvent.RunnerStarted started(RunState before, BranchExecution main) {
    Cut cut = before.resumePoint(StepPath.MAIN).orElseGet(() -> before.branch(StepPath.MAIN).cut());
    return new TraceEvent.RunnerStarted(
        services.runner(),
        ProcessHandle.current().pid(),
        HostNameReader.get(),
        cut == null ? null : cut.digest(),
        (int) Math.min(main.replayed(), Integer.MAX_VALUE),
        main.leftOut().stream().limit(Cut.MAX_LEFT_OUT).toList());
  }

  private RunExecutionContext context(
      RunState before, int restarts, Workflow workflow, OutputBlobStore blobs)
      throws StoreException, InterruptedException {
    ReplayedState memory = new ReplayedState(before, this::maxStateBytes);
    this.memory = memory;
    JsonNode input = input(before, blobs);
    return new RunExecutionContext(
        assignment.run(),
        assignment.epoch(),
        assignment.stepToken(),
        restarts,
        input,
        info(),
        RunFolder.of(services.data(), assignment.run()),
        assignment.deadline().map(Deadline::at).orElse(Deadline.NONE),
        journal,
        control,
        memory,
        answers,
        progress,
        parking,
        blobs,
        checkpoints(memory),
        services.checkpoints().interval(),
        log,
        services.announcements(),
        services.executors(),
        services.secrets(assignment.run(), workflow, input, masker),
        workflow.maxReroutes(),
        services.fixed(),
        OutputUsageAnalyzer.of(workflow),
        workflow.sharesPrograms(),
        continued(workflow),
        ledgers(before),
        new RunningAgentRegistry());
  }

  private static Set<String> continued(Workflow workflow) {
    return workflow.allSteps().stream()
        .map(Step::kind)
        .filter(StepKind.Agent.class::isInstance)
        .flatMap(kind -> ((StepKind.Agent) kind).continueFrom().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private AgentLedgerRegistry ledgers(RunState before) {
    AgentLedgerRegistry ledgers = new AgentLedgerRegistry(before);
    progress.spending(ledgers);
    return ledgers;
  }

  /** Empty if the store does not return it now; it is requested again. */
  private OptionalLong maxStateBytes() throws InterruptedException {
    try {
      return services.store().maxStateBytes();
    } catch (StoreException e) {
      LOG.warnf(
          "run %s: cannot read the state limit from the checkpoint-store; using the default: %s",
          assignment.run(), e.getMessage());
      return OptionalLong.empty();
    }
  }

  private ManifestBuilderFactory checkpoints(ReplayedState memory) {
    return new ManifestBuilderFactory(
        assignment.run(),
        new Manifest.Run(
            assignment.project(),
            assignment.workflow(),
            assignment.definitionHash(),
            assignment.epoch(),
            null,
            null),
        services.checkpoints().environment(),
        services.executors().environment().inherited(),
        services.fixed(),
        memory::slices);
  }

  private JsonNode input(RunState before, OutputBlobStore blobs)
      throws StoreException, InterruptedException {
    if (assignment.input().isPresent()) {
      return assignment.input().get();
    }
    TraceEvent.@Nullable RunCreated created = before.created();
    Output input = created == null ? null : created.input();
    return input == null ? NullNode.getInstance() : blobs.unpack(input);
  }

  /** Returns what expressions see as {@code .run}: the same in every epoch. */
  private ObjectNode info() {
    ObjectNode info = JsonNodeFactory.instance.objectNode();
    info.put("id", assignment.run());
    info.put("display_id", RunId.display(assignment.run()));
    info.put("project", assignment.project());
    info.put("workflow", assignment.workflow());
    info.put("created_at", assignment.createdAt().toString());
    ObjectNode labels = info.putObject("labels");
    assignment.labels().forEach(labels::put);
    return info;
  }
}
