/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Folds a run's events in log order. Only this class and {@link HeadFold} decide what an event
 * means. Not thread-safe.
 *
 * <p>A step that ended without a cut although its branch has files ({@code without_cut}) leaves the
 * branch <em>uncommitted</em>: the files exist only on the runner. The next cut of the branch
 * contains them and commits all. If the epoch ends first, {@code runner_assigned} rolls the
 * uncommitted steps back, so that steps and files are consistent again.
 */
public final class StateFold {
  private final String run;
  private RunHead head;
  private TraceEvent.@Nullable RunCreated created;
  private final StepFoldState facts;
  private final Map<String, StepState> steps;
  private final TreeMap<String, BranchState> branches;
  private final Map<String, ApprovalState> approvals;

  private final UncommittedStepTracker uncommitted;
  private @Nullable Output output;

  private final ParkedTimerTracker timers;
  private final ResumePointTracker resumePoints;
  private final AgentStateTracker agents;
  private @Nullable ModelBudget budget;

  /** The ids of events after which the state is kept for a resume, and the kept states. */
  private final Set<String> marks;

  private final Map<String, KeptState> kept = new HashMap<>();

  /** The resume requests so far: those after a restored state still apply to it. */
  private final List<TraceEvent.ResumeRequested> requests = new ArrayList<>();

  /**
   * A state that a later event may restore.
   *
   * @param requests the number of resume requests before it
   */
  private record KeptState(RunState state, int requests) {}

  /** Null where the fold does not start at the run's first event. */
  private final @Nullable RunState beginning;

  public StateFold(RunState from) {
    this(from, Set.of());
  }

  /**
   * @param marks {@link RestoreMarkFinder#find} of the run's events: a later event may restore the
   *     state after one of them
   */
  public StateFold(RunState from, Set<String> marks) {
    this.marks = Set.copyOf(marks);
    beginning = from.head().equals(RunHead.NONE) ? from : null;
    run = from.run();
    head = from.head();
    created = from.created();
    facts =
        StepFoldState.copyOf(
            from.steps(), from.reroutes(), from.sessions(), from.plans(), from.milestones());
    steps = facts.steps();
    branches = new TreeMap<>();
    approvals = new LinkedHashMap<>(from.approvals());
    uncommitted = new UncommittedStepTracker(run, facts, branches, approvals);
    from.branches().forEach(uncommitted::open);
    output = from.output();
    timers = new ParkedTimerTracker(steps, uncommitted);
    resumePoints = new ResumePointTracker(steps, uncommitted);
    agents = new AgentStateTracker(from.agents());
    budget = from.budget();
  }

  /**
   * @throws IllegalArgumentException when the event is of another run
   */
  public RunHead.Verdict accept(TraceRecord record) {
    if (!record.run().equals(run)) {
      throw new IllegalArgumentException(record.id() + " is not of run " + run);
    }
    RunHead before = head;
    int epochBefore = before.epoch();
    RunHead.Step step = head.apply(record);
    head = step.head();
    if (step.verdict() == RunHead.Verdict.ACCEPTED) {
      if (head.epoch() > epochBefore && epochBefore > 0) {
        settle();
      }
      if (before.isEnded()) { // A resume reopens it.
        forgetFailures(StepPath.MAIN);
      }
      uncommitted.remember(record.event());
      apply(record.event(), record.time());
      if (!marks.isEmpty() && marks.contains(record.id().toString())) {
        kept.put(record.id().toString(), new KeptState(state(), requests.size()));
      }
    }
    return step.verdict();
  }

  /**
   * Whether a new epoch would restore one of these checkpoints, or a cut that has no checkpoint.
   */
  boolean needs(Predicate<String> checkpoint) {
    RestoreDependencyFinder finder = new RestoreDependencyFinder(checkpoint);
    return uncommitted.written().values().stream().anyMatch(finder::isNeededBy)
        || resumePoints.steps().anyMatch(finder::isNeededBy);
  }

  BranchState branch(String path) {
    return branches.getOrDefault(path, BranchState.UNBEGUN);
  }

  public RunState state() {
    return new RunState(
        run,
        head,
        created,
        steps,
        uncommitted.written(),
        approvals,
        facts.reroutes(),
        facts.sessions(),
        facts.plans(),
        output,
        facts.milestones(),
        agents.states(),
        budget);
  }

  private void apply(TraceEvent event, Instant time) {
    switch (event) {
      case TraceEvent.RunCreated birth -> {
        created = birth;
        changeAgent();
      }
      case TraceEvent.ApprovalAnswered answered -> {
        approvals.computeIfPresent(
            answered.approval(), (id, asked) -> asked.answered(answered.answer(), answered.by()));
        endAgentWait(answered.step());
        agents.decided(answered.step());
      }
      case TraceEvent.LabelsChanged changed ->
          created = created == null ? null : created.withLabels(changed.labels());
      case TraceEvent.StepStarted started -> start(started, time);
      case TraceEvent.StepCompleted done -> complete(done);
      case TraceEvent.StepFailed failed -> fail(failed);
      case TraceEvent.StepRetried again -> retry(again);
      case TraceEvent.StepSkipped skip -> skip(skip);
      case TraceEvent.StepRerouted reroute -> reroute(reroute);
      case TraceEvent.ApprovalRequested asked -> ask(asked, time);
      case TraceEvent.CheckpointSaved saved -> save(saved);
      case TraceEvent.AgentSessionCreated session -> {
        if (session.parent() == null) {
          facts.sessions().put(session.step(), session.session());
        }
        agents.begin(session);
        endAgentWait(session.step());
      }
      case TraceEvent.ModelAnswered answer -> agents.answer(answer);
      case TraceEvent.PlanUpdated plan -> facts.plans().put(plan.step(), plan.items());
      case TraceEvent.RunCompleted done -> output = done.output();
      case TraceEvent.RunnerAssigned assigned -> {
        if (assigned.isResume()) {
          agents.allowResumes();
        } else {
          agents.loseRunner();
        }
        timers.assign(assigned);
      }
      case TraceEvent.PauseRequested pause -> {
        if (pause.idle()) {
          interruptRunning();
        }
      }
      case TraceEvent.ResumeRequested resume -> resume(resume);
      case TraceEvent.RunCancelled _, TraceEvent.RunLost _, TraceEvent.RunnerStarted _ -> {}
      case TraceEvent.RunDegraded lost -> returnTo(lost.after());
      case TraceEvent.ToolBegun begun -> agents.begin(begun);
      case TraceEvent.ToolInvoked invoked -> {
        agents.end(invoked);
        endAgentWait(invoked.step());
      }
      case TraceEvent.CallsRepeated repeated -> agents.repeat(repeated);
      case TraceEvent.AgentCompacted _, TraceEvent.BackgroundResumed _ -> {}
      case TraceEvent.RunPaused paused -> interruptRunning();
      case TraceEvent.RunParked parked -> {
        timers.park(parked);
        interruptRunning();
        agents.allowResumes();
      }
      case TraceEvent.RunFailed failed -> {}
    }
  }

  private void resume(TraceEvent.ResumeRequested resume) {
    settle();
    if (resume.from() != null) {
      goBack(resume);
    }
    correct(resume);
    requests.add(resume);
    if (resume.budget() != null) {
      budget = (budget == null ? ModelBudget.NONE : budget).replacedBy(resume.budget());
    }
    String hash = resume.definitionHash();
    if (hash != null && created != null) {
      created = created.withDefinition(hash);
    }
  }

  private void correct(TraceEvent.ResumeRequested resume) {
    resume.set().forEach(this::correct);
    resume.skip().forEach(path -> steps.compute(path, StepState::skipping));
  }

  private void correct(String path, Output corrected) {
    StepState state = steps.get(path);
    if (state == null || state.status() != StepState.Status.COMPLETED) {
      return;
    }
    branches.computeIfPresent(
        StepPath.branchOf(path),
        (branch, line) ->
            line.last() != null && line.last().step().equals(path)
                ? line.withLast(new BranchState.Last(path, corrected))
                : line);
    steps.put(path, state.withOutput(corrected));
  }

  /**
   * Restores an earlier state as {@code run_degraded} does: the corrections of later resume
   * requests still apply. An approval that was requested by then keeps an answer that it has got
   * since, because it is about the restored files. Without an answer it is requested again under
   * another id, because the head, which does not know the approvals of that state, closes all.
   *
   * @param after the id of an event that this fold keeps; null: the run's initial state
   * @throws IllegalStateException when this fold did not keep that state
   */
  public void returnTo(@Nullable String after) {
    Map<String, ApprovalState> now = Map.copyOf(approvals);
    KeptState then = restore(after);
    approvals.replaceAll((id, asked) -> now.getOrDefault(id, asked));
    approvals.values().removeIf(asked -> asked.answer() == null);
    requests
        .subList(Math.min(then.requests(), requests.size()), requests.size())
        .forEach(this::correct);
  }

  /** Restores steps, files and approvals; the current runner and the counters stay. */
  private KeptState restore(@Nullable String after) {
    KeptState then = after == null ? initial() : kept.get(after);
    if (then == null) {
      throw new IllegalStateException(
          "run %s: cannot restore the state after %s: this fold did not keep it"
              .formatted(run, after == null ? "its creation" : after));
    }
    StateFold old = new StateFold(then.state());
    old.settle();
    uncommitted.clear();
    facts.become(old.facts);
    branches.clear();
    branches.putAll(old.branches);
    approvals.clear();
    approvals.putAll(old.approvals);
    resumePoints.reset();
    agents.returnTo(then.state().agents());
    if (after == null) {
      changeAgent();
    }
    return then;
  }

  /** Changes the agent that continues in this fork, as its creation requests. */
  private void changeAgent() {
    ForkedFrom from = created == null ? null : created.forkedFrom();
    if (from != null && from.step() != null && from.agent() != null) {
      agents.change(from.step(), from.agent());
    }
  }

  private @Nullable KeptState initial() {
    return beginning == null ? null : new KeptState(beginning, 0);
  }

  private void goBack(TraceEvent.ResumeRequested resume) {
    restore(resume.after());
    String from = Objects.requireNonNull(resume.from());
    beginAnew(from);
    StepPath.under(branches, from).clear();
    forgetFailures(StepPath.MAIN);
  }

  /**
   * Restarts the unfinished visits of this step, for example those left by an earlier resume,
   * instead of continuing them.
   */
  private void beginAnew(String from) {
    for (String path : List.copyOf(steps.keySet())) {
      StepState state = steps.get(path);
      if (state != null && !state.hasEnded() && isOf(path, from)) {
        steps.put(path, StepState.begunAnew(state));
        agents.restart(path);
        approvals.values().removeIf(asked -> asked.step().equals(path));
      }
    }
  }

  private static boolean isOf(String path, String step) {
    return path.equals(step) || path.startsWith(step + "/");
  }

  private void start(TraceEvent.StepStarted started, Instant time) {
    String path = started.step();
    String kind = started.kind();
    int visit = started.visit();
    StepState old = steps.get(path);
    if (old != null && old.visit() != visit && kind.equals("parallel")) {
      forgetWithin(path);
    }
    StepStateBuilder begun = new StepStateBuilder(path, kind, StepState.Status.RUNNING, visit, old);
    begun.keepFailedAttempts(old);
    // All attempts and runners of a visit share its start time: its timers start there.
    if (begun.startedAt == null) {
      begun.startedAt = time;
    }
    begun.resumePoint = ResumePointTracker.kept(old, started);
    if (kind.equals("agent") && head.waiting().contains(path)) {
      begun.status = StepState.Status.WAITING; // For calls of an earlier epoch.
    }
    steps.put(path, begun.state());
    agents.start(started);
  }

  /** A new visit of a parallel step clears the earlier outputs of the steps in its branches. */
  private void forgetWithin(String path) {
    String prefix = path + "/";
    uncommitted.touchWithin(prefix);
    steps.replaceAll((inner, state) -> inner.startsWith(prefix) ? state.forgotten() : state);
    facts.reroutes().keySet().removeIf(inner -> inner.startsWith(prefix));
  }

  private void complete(TraceEvent.StepCompleted done) {
    StepState old = steps.get(done.step());
    takeDefault(old, done.output() instanceof Output.Inline(var answer) ? answer : null);
    StepStateBuilder completed =
        new StepStateBuilder(
            done.step(), done.kind(), StepState.Status.COMPLETED, done.visit(), old);
    completed.keepFailedAttempts(old);
    completed.completions++;
    completed.output = done.output();
    completed.cut = done.cut();
    completed.exitCode = done.exitCode();
    completed.startedAt = done.startedAt();
    completed.durationUs = done.durationUs();
    completed.last = StepEnd.SUCCESS;
    steps.put(done.step(), completed.state());
    if (done.milestone() != null) {
      supersede(done.milestone());
      facts.milestones().put(done.step(), done.milestone());
    }
    leave(done.step(), done.next(), done.cut(), done.withoutCut());
    branches.computeIfPresent(
        StepPath.branchOf(done.step()),
        (path, branch) -> branch.withLast(new BranchState.Last(done.step(), done.output())));
    agents.complete(done);
  }

  /**
   * Drops the milestones with this number and later ones: the repository, which takes precedence,
   * had lost them.
   */
  private void supersede(int index) {
    for (Map.Entry<String, Integer> made : List.copyOf(facts.milestones().entrySet())) {
      if (made.getValue() >= index) {
        uncommitted.touchWithin(made.getKey());
        facts.milestones().remove(made.getKey());
      }
    }
  }

  private void fail(TraceEvent.StepFailed failed) {
    StepState old = steps.get(failed.step());
    if (ApprovalState.isAnswer(failed)) {
      takeDefault(old, null);
    }
    StepStateBuilder draft =
        new StepStateBuilder(
            failed.step(), failed.kind(), StepState.Status.FAILED, failed.visit(), old);
    draft.failedAttempts = failed.attempt();
    draft.cut = failed.cut();
    draft.error = failed.error();
    draft.exitCode = failed.error().exitCode();
    List<String> next = failed.next();
    if (next != null) {
      // An ended visit has an output of its own: none. An unfinished one keeps the last visit's.
      draft.completions++;
      draft.output = null;
      draft.last = StepEnd.failure(failed.error());
    } else if (old != null && old.visit() == failed.visit()) {
      draft.resumePoint = old.resumePoint();
    }
    steps.put(failed.step(), draft.state());
    if (next == null) {
      branches.compute(
          StepPath.branchOf(failed.step()),
          (path, branch) -> (branch == null ? BranchState.UNBEGUN : branch).withFailed(true));
    } else {
      leave(failed.step(), next, failed.cut(), failed.withoutCut());
    }
  }

  private void reroute(TraceEvent.StepRerouted reroute) {
    facts.reroutes().put(reroute.step(), reroute.count());
    branches.compute(
        StepPath.branchOf(reroute.step()),
        (path, branch) -> (branch == null ? BranchState.UNBEGUN : branch).withNext(reroute.to()));
  }

  /** A retried step may fail again: clears the failures of the branches below it. */
  private void forgetFailures(String path) {
    StepPath.under(branches, path).replaceAll((branch, state) -> state.withFailed(false));
    branches.computeIfPresent(path, (branch, state) -> state.withFailed(false));
  }

  /**
   * Takes the default answer of an approval step that ended with an answer although it has none on
   * the log.
   *
   * @param with the step's output; null for a rejection
   */
  private void takeDefault(@Nullable StepState step, @Nullable JsonNode with) {
    if (step != null && step.status() == StepState.Status.WAITING) {
      approvals.replaceAll(
          (id, asked) -> asked.step().equals(step.step()) ? asked.answeredByDefault(with) : asked);
    }
  }

  private void retry(TraceEvent.StepRetried again) {
    StepStateBuilder draft =
        new StepStateBuilder(
            again.step(),
            again.kind(),
            StepState.Status.RUNNING,
            again.visit(),
            steps.get(again.step()));
    draft.failedAttempts = again.attempt();
    draft.error = again.error();
    draft.exitCode = again.error().exitCode();
    steps.put(again.step(), draft.state());
    forgetFailures(again.step());
    resumePoints.forgetWithin(again.step() + "/");
    agents.restart(again.step());
    agents.restartWithin(again.step() + "/");
  }

  private void skip(TraceEvent.StepSkipped skip) {
    StepState old = steps.get(skip.step());
    if (skip.tellsAgain()
        || (old != null
            && old.status() == StepState.Status.COMPLETED
            && old.visit() == skip.visit())) {
      return; // Its completion stands.
    }
    StepStateBuilder skipped =
        new StepStateBuilder(skip.step(), null, StepState.Status.SKIPPED, skip.visit(), old);
    skipped.completions++;
    skipped.output = null;
    skipped.startedAt = null;
    skipped.reason = skip.reason();
    skipped.last = StepEnd.SKIPPED;
    steps.put(skip.step(), skipped.state());
    leave(skip.step(), skip.next(), null, false);
  }

  private void ask(TraceEvent.ApprovalRequested asked, Instant time) {
    String kind = asked.tool() == null ? "approval" : "agent";
    steps.put(asked.step(), waiting(asked.step(), kind, time));
    approvals.putIfAbsent(asked.approval(), ApprovalState.of(asked));
  }

  /** An agent step of which no call waits any more runs again, if a runner has it. */
  private void endAgentWait(String path) {
    if (!head.waiting().contains(path)) {
      steps.computeIfPresent(path, (key, state) -> state.notWaiting(head.phase()));
    }
  }

  private StepState waiting(String path, String kind, Instant time) {
    StepState old = steps.get(path);
    if (old != null && !old.hasEnded()) {
      return old.withStatus(StepState.Status.WAITING).withoutLeft();
    }
    int visit = old == null ? 1 : old.completions() + 1;
    StepStateBuilder begun = new StepStateBuilder(path, kind, StepState.Status.WAITING, visit, old);
    begun.startedAt = time;
    return begun.state();
  }

  private void save(TraceEvent.CheckpointSaved saved) {
    Cut cut = saved.cut();
    String path = saved.step();
    if (cut != null && path != null) {
      steps.computeIfPresent(path, (key, state) -> state.withCheckpoint(cut));
    }
    resumePoints.save(saved);
    agents.save(saved);
  }

  private void leave(String path, List<String> next, @Nullable Cut cut, boolean withoutCut) {
    if (!StepPath.under(branches, path).isEmpty()) {
      stopWithin(path);
    }
    uncommitted.dropUnder(path);
    if (!withoutCut) {
      // Otherwise a rollback may run the step again.
      agents.restart(path);
    }
    String branch = StepPath.branchOf(path);
    BranchState old = branch(branch);
    List<String> since;
    if (cut != null) {
      since = List.of();
      uncommitted.commit(branch);
    } else if (withoutCut || !old.uncommitted().isEmpty()) {
      since = new ArrayList<>(old.uncommitted());
      since.add(path);
    } else {
      since = List.of();
    }
    branches.put(
        branch,
        new BranchState(true, next, cut == null ? old.cut() : cut, since, false, old.last(), null));
    dropEndedToolCalls();
  }

  /** Drops the decisions on tool calls of ended steps to which no rollback can return. */
  private void dropEndedToolCalls() {
    approvals
        .values()
        .removeIf(
            asked -> {
              StepState step = steps.get(asked.step());
              return asked.tool() != null
                  && step != null
                  && step.hasEnded()
                  && !uncommitted.mayReturnTo(asked.step());
            });
  }

  /** Ends the unfinished steps below a parallel step that ended without waiting for them. */
  private void stopWithin(String path) {
    String prefix = path + "/";
    uncommitted.touchWithin(prefix);
    steps.replaceAll(
        (inner, state) -> inner.startsWith(prefix) && !state.hasEnded() ? state.stopped() : state);
  }

  /** Sets the state as a new epoch finds it: nothing is uncommitted, nothing runs. */
  void settle() {
    uncommitted.takeBack();
    resumePoints.reset();
    interruptRunning();
  }

  private void interruptRunning() {
    steps.replaceAll(
        (path, state) ->
            state.status() == StepState.Status.RUNNING
                ? state.withStatus(StepState.Status.INTERRUPTED)
                : state);
  }
}
