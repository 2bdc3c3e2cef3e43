/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Folds a run's events in the log's order. What an event means is decided here and in {@link
 * HeadFold}, nowhere else. Not thread-safe.
 *
 * <p>A step that ended without a cut though its branch has files ({@code without_cut}) leaves the
 * branch <em>uncommitted</em>: the files exist only on the runner. The next cut of the branch holds
 * them and commits all. If the epoch ends first, {@code runner_assigned} takes the uncommitted
 * steps back, so that steps and files agree again.
 */
public final class StateFold {
  private final String run;
  private RunHead head;
  private TraceEvent.@Nullable RunCreated created;
  private final StepFacts facts;
  private final Map<String, StepState> steps;
  private final TreeMap<String, BranchState> branches;
  private final Map<String, ApprovalState> approvals;

  /** Of each uncommitted branch. A branch comes before those that grew from it. */
  private final TreeMap<String, UndoLog> undo = new TreeMap<>();

  private @Nullable Output output;

  /** The events after which the state is kept, and what was kept. */
  private final Set<String> marks;

  private final Map<String, RunState> kept = new HashMap<>();

  /** Null where the fold does not begin with the run. */
  private final @Nullable RunState beginning;

  public StateFold(RunState from) {
    this(from, Set.of());
  }

  /**
   * @param marks {@link #marks} of the run's control events: a resume may go back to what was there
   *     after them
   */
  public StateFold(RunState from, Set<String> marks) {
    this.marks = Set.copyOf(marks);
    beginning = from.head().equals(RunHead.NONE) ? from : null;
    run = from.run();
    head = from.head();
    created = from.created();
    facts =
        StepFacts.copyOf(
            from.steps(), from.reroutes(), from.sessions(), from.plans(), from.milestones());
    steps = facts.steps();
    branches = new TreeMap<>();
    from.branches().forEach(this::open);
    approvals = new LinkedHashMap<>(from.approvals());
    output = from.output();
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
      if (before.isEnded()) { // It is opened again.
        forgetFailures(StepPath.MAIN);
      }
      remember(record.event());
      apply(record.event(), record.time());
      if (!marks.isEmpty() && marks.contains(record.id().toString())) {
        kept.put(record.id().toString(), state());
      }
    }
    return step.verdict();
  }

  /** The ids of the events that resumes go back to. To fold a run that has any, they are needed. */
  public static Set<String> marks(Collection<? extends TraceEvent> control) {
    Set<String> marks = new HashSet<>();
    for (TraceEvent event : control) {
      if (event instanceof TraceEvent.ResumeRequested resume && resume.after() != null) {
        marks.add(resume.after());
      }
    }
    return marks;
  }

  BranchState branch(String path) {
    return branches.getOrDefault(path, BranchState.UNBEGUN);
  }

  public RunState state() {
    Map<String, BranchState> written = branches;
    if (!undo.isEmpty()) {
      written = new TreeMap<>(branches);
      for (Map.Entry<String, UndoLog> log : undo.entrySet()) {
        written.computeIfPresent(
            log.getKey(), (path, branch) -> branch.withUndo(log.getValue().written()));
      }
    }
    return new RunState(
        run,
        head,
        created,
        steps,
        written,
        approvals,
        facts.reroutes(),
        facts.sessions(),
        facts.plans(),
        output,
        facts.milestones());
  }

  private void apply(TraceEvent event, Instant time) {
    switch (event) {
      case TraceEvent.RunCreated birth -> created = birth;
      case TraceEvent.ApprovalAnswered answered ->
          approvals.computeIfPresent(
              answered.approval(), (id, asked) -> asked.answered(answered.answer(), answered.by()));
      case TraceEvent.LabelsChanged changed ->
          created = created == null ? null : created.withLabels(changed.labels());
      case TraceEvent.StepStarted started ->
          start(started.step(), started.kind(), started.visit(), time);
      case TraceEvent.StepCompleted done -> complete(done);
      case TraceEvent.StepFailed failed -> fail(failed);
      case TraceEvent.StepRetried again -> retry(again);
      case TraceEvent.StepSkipped skip -> skip(skip);
      case TraceEvent.StepRerouted reroute -> reroute(reroute);
      case TraceEvent.CheckpointWaiting asked -> ask(asked, time);
      case TraceEvent.CheckpointSaved saved -> save(saved);
      case TraceEvent.AgentSessionCreated session ->
          facts.sessions().put(session.step(), session.session());
      case TraceEvent.PlanUpdated plan -> facts.plans().put(plan.step(), plan.items());
      case TraceEvent.RunCompleted done -> output = done.output();
      case TraceEvent.RunnerAssigned assigned -> {}
      case TraceEvent.PauseRequested pause -> {
        if (pause.idle()) {
          interruptRunning();
        }
      }
      case TraceEvent.ResumeRequested resume -> resume(resume);
      case TraceEvent.RunCancelled cancelled -> {}
      case TraceEvent.RunLost lost -> {}
      case TraceEvent.RunnerStarted started -> {}
      case TraceEvent.ToolInvoked invoked -> {}
      case TraceEvent.RunPaused paused -> interruptRunning();
      case TraceEvent.RunFailed failed -> {}
    }
  }

  private void resume(TraceEvent.ResumeRequested resume) {
    settle();
    if (resume.from() != null) {
      goBack(resume);
    }
    resume.set().forEach(this::correct);
    resume.skip().forEach(path -> steps.compute(path, StepState::skipping));
    String hash = resume.definitionHash();
    if (hash != null && created != null) {
      created = created.withDefinition(hash);
    }
  }

  private void correct(String path, Output corrected) {
    StepState state = steps.get(path);
    if (state == null || state.status() != StepState.Status.COMPLETED) {
      return;
    }
    String branch = StepPath.branchOf(path);
    boolean newest =
        steps.values().stream()
            .filter(other -> StepPath.branchOf(other.step()).equals(branch))
            .filter(other -> other.status() == StepState.Status.COMPLETED)
            .max(Comparator.comparing(StateFold::endOf))
            .filter(last -> last.step().equals(path))
            .isPresent();
    if (newest) {
      branches.computeIfPresent(branch, (key, line) -> line.withLast(corrected));
    }
    steps.put(path, state.withOutput(corrected));
  }

  /** By the runners' clocks: only to tell which of a branch's steps is the newest. */
  private static Instant endOf(StepState state) {
    Instant started = state.startedAt();
    return started == null ? Instant.MIN : started.plusNanos(state.durationUs() * 1_000);
  }

  /**
   * Steps, files and questions are as they were; who holds the run, and what was counted, stays.
   */
  private void goBack(TraceEvent.ResumeRequested resume) {
    RunState then = resume.after() == null ? beginning : kept.get(resume.after());
    if (then == null) {
      throw new IllegalStateException(
          "run %s goes back to what was there after %s, which this fold has not kept"
              .formatted(run, resume.after() == null ? "its creation" : resume.after()));
    }
    StateFold old = new StateFold(then);
    old.settle();
    facts.become(old.facts);
    branches.clear();
    branches.putAll(old.branches);
    approvals.clear();
    approvals.putAll(old.approvals);
    String from = Objects.requireNonNull(resume.from());
    beginAnew(from);
    under(branches, from).clear();
    forgetFailures(StepPath.MAIN);
  }

  /** What is left of a visit that did not end, as after an earlier resume, is not gone on with. */
  private void beginAnew(String from) {
    for (String path : List.copyOf(steps.keySet())) {
      StepState state = steps.get(path);
      if (state != null && !state.hasEnded() && isOf(path, from)) {
        steps.put(path, StepState.begunAnew(state));
        approvals.values().removeIf(asked -> asked.step().equals(path));
      }
    }
  }

  private static boolean isOf(String path, String step) {
    return path.equals(step) || path.startsWith(step + "/");
  }

  private void start(String path, String kind, int visit, Instant time) {
    StepState old = steps.get(path);
    if (old != null && old.visit() != visit && kind.equals("parallel")) {
      forgetWithin(path);
    }
    int completions = old == null ? 0 : old.completions();
    StepState same = old != null && old.visit() == visit ? old : null;
    int failed = same == null ? 0 : same.failedAttempts();
    // A visit starts once, however many attempts and runners it takes: timers count from there.
    Instant began = same == null || same.startedAt() == null ? time : same.startedAt();
    // Until this visit has an output of its own, expressions see that of the visit before.
    Output last = old == null ? null : old.output();
    StepEnd end = old == null ? null : old.last();
    steps.put(path, StepState.started(path, kind, visit, failed, completions, last, began, end));
  }

  /** A parallel begins again: what its branches see of their steps is what this visit brings. */
  private void forgetWithin(String path) {
    String prefix = path + "/";
    touchWithin(prefix);
    steps.replaceAll((inner, state) -> inner.startsWith(prefix) ? state.forgotten() : state);
    facts.reroutes().keySet().removeIf(inner -> inner.startsWith(prefix));
  }

  private void complete(TraceEvent.StepCompleted done) {
    StepState old = steps.get(done.step());
    takeDefault(old, done.output() instanceof Output.Inline(var answer) ? answer : null);
    int failed = old != null && old.visit() == done.visit() ? old.failedAttempts() : 0;
    int completions = old == null ? 1 : old.completions() + 1;
    steps.put(
        done.step(),
        new StepState(
            done.step(),
            done.kind(),
            StepState.Status.COMPLETED,
            done.visit(),
            failed,
            completions,
            done.output(),
            done.cut(),
            null,
            null,
            null,
            done.exitCode(),
            done.startedAt(),
            done.durationUs(),
            StepEnd.SUCCESS));
    if (done.milestone() != null) {
      facts.milestones().put(done.step(), done.milestone());
    }
    leave(done.step(), done.next(), done.cut(), done.withoutCut());
    branches.computeIfPresent(
        StepPath.branchOf(done.step()), (path, branch) -> branch.withLast(done.output()));
  }

  private void fail(TraceEvent.StepFailed failed) {
    StepState old = steps.get(failed.step());
    if (ApprovalState.isAnswer(failed)) {
      takeDefault(old, null);
    }
    List<String> next = failed.next();
    int completions = old == null ? 0 : old.completions();
    // A visit that has ended has its own output: none. One that has not leaves that of the last.
    Output output = old == null || next != null ? null : old.output();
    StepEnd end = old == null ? null : old.last();
    steps.put(
        failed.step(),
        new StepState(
            failed.step(),
            failed.kind(),
            StepState.Status.FAILED,
            failed.visit(),
            failed.attempt(),
            next == null ? completions : completions + 1,
            output,
            failed.cut(),
            null,
            failed.error(),
            null,
            failed.error().exitCode(),
            startOf(old, failed.visit()),
            0,
            next == null ? end : StepEnd.failure(failed.error())));
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

  /** What is tried again may fail again: the failures of the branches under a step are over. */
  private void forgetFailures(String path) {
    under(branches, path).replaceAll((branch, state) -> state.withFailed(false));
    branches.computeIfPresent(path, (branch, state) -> state.withFailed(false));
  }

  /**
   * A step that ends with an answer, and nobody gave one: its default was taken.
   *
   * @param with what it ended with; null: with a no
   */
  private void takeDefault(@Nullable StepState step, @Nullable JsonNode with) {
    if (step != null && step.status() == StepState.Status.WAITING) {
      approvals.replaceAll(
          (id, asked) -> asked.step().equals(step.step()) ? asked.answeredByDefault(with) : asked);
    }
  }

  private void retry(TraceEvent.StepRetried again) {
    StepState old = steps.get(again.step());
    steps.put(
        again.step(),
        new StepState(
            again.step(),
            again.kind(),
            StepState.Status.RUNNING,
            again.visit(),
            again.attempt(),
            old == null ? 0 : old.completions(),
            old == null ? null : old.output(),
            null,
            null,
            again.error(),
            null,
            again.error().exitCode(),
            startOf(old, again.visit()),
            0,
            old == null ? null : old.last()));
    forgetFailures(again.step());
  }

  /** When this visit started; null when no event of it has said so. */
  private static @Nullable Instant startOf(@Nullable StepState old, int visit) {
    return old != null && old.visit() == visit ? old.startedAt() : null;
  }

  private void skip(TraceEvent.StepSkipped skip) {
    StepState old = steps.get(skip.step());
    if (skip.tellsAgain()
        || (old != null
            && old.status() == StepState.Status.COMPLETED
            && old.visit() == skip.visit())) {
      return; // Its completion stands.
    }
    steps.put(
        skip.step(),
        new StepState(
            skip.step(),
            null,
            StepState.Status.SKIPPED,
            skip.visit(),
            0,
            old == null ? 1 : old.completions() + 1,
            null,
            null,
            null,
            null,
            skip.reason(),
            null,
            null,
            0,
            StepEnd.SKIPPED));
    leave(skip.step(), skip.next(), null, false);
  }

  private void ask(TraceEvent.CheckpointWaiting asked, Instant time) {
    String path = asked.step();
    StepState old = steps.get(path);
    StepState waiting;
    if (old == null) {
      waiting = StepState.started(path, "approval", 1, 0, 0, null, time, null);
    } else if (old.hasEnded()) {
      int visit = old.completions() + 1;
      waiting =
          StepState.started(
              path, "approval", visit, 0, old.completions(), old.output(), time, old.last());
    } else {
      waiting = old;
    }
    steps.put(path, waiting.withStatus(StepState.Status.WAITING));
    approvals.putIfAbsent(
        asked.approval(),
        new ApprovalState(
            asked.approval(),
            asked.step(),
            asked.prompt(),
            asked.answerSchema(),
            asked.defaultAnswer(),
            asked.expiresAt(),
            asked.cut(),
            null,
            null));
  }

  private void save(TraceEvent.CheckpointSaved saved) {
    Cut cut = saved.cut();
    String path = saved.step();
    if (cut != null && path != null) {
      steps.computeIfPresent(path, (key, state) -> state.withCheckpoint(cut));
    }
  }

  private void leave(String path, List<String> next, @Nullable Cut cut, boolean withoutCut) {
    if (!under(branches, path).isEmpty()) {
      stopWithin(path);
    }
    under(branches, path).clear();
    under(undo, path).clear();
    String branch = StepPath.branchOf(path);
    BranchState old = branches.getOrDefault(branch, BranchState.UNBEGUN);
    List<String> uncommitted;
    if (cut != null) {
      uncommitted = List.of();
      undo.remove(branch);
    } else if (withoutCut || !old.uncommitted().isEmpty()) {
      uncommitted = new ArrayList<>(old.uncommitted());
      uncommitted.add(path);
    } else {
      uncommitted = List.of();
    }
    branches.put(
        branch,
        new BranchState(
            true, next, cut == null ? old.cut() : cut, uncommitted, false, old.last(), null));
  }

  /** A parallel has ended: what it did not wait for has, too. */
  private void stopWithin(String path) {
    String prefix = path + "/";
    touchWithin(prefix);
    steps.replaceAll(
        (inner, state) -> inner.startsWith(prefix) && !state.hasEnded() ? state.stopped() : state);
  }

  /** Before much of what is known of the steps under a parallel changes at once. */
  private void touchWithin(String prefix) {
    if (undo.isEmpty()) {
      return;
    }
    for (String inner : steps.keySet()) {
      if (inner.startsWith(prefix)) {
        undo.forEach(
            (uncommitted, log) -> {
              if (StepPath.isWithin(StepPath.branchOf(inner), uncommitted)) {
                log.touch(inner, facts);
              }
            });
      }
    }
  }

  /** The branches that grew from a step, or from a branch. */
  private static <V> SortedMap<String, V> under(TreeMap<String, V> map, String path) {
    // '0' is the character after '/'.
    return path.isEmpty() ? map.tailMap("", false) : map.subMap(path + "/", path + "0");
  }

  /** Before an event is applied: keeps what a later take-back puts back. */
  private void remember(TraceEvent event) {
    boolean withoutCut = endsWithoutCut(event);
    String path = stepOf(event);
    if (path == null || (undo.isEmpty() && !withoutCut)) {
      return;
    }
    String branch = StepPath.branchOf(path);
    if (withoutCut && !undo.containsKey(branch)) {
      Output last = branches.getOrDefault(branch, BranchState.UNBEGUN).last();
      undo.put(branch, UndoLog.begin(openUnder(branch), last));
    }
    undo.forEach(
        (uncommitted, log) -> {
          if (StepPath.isWithin(branch, uncommitted)) {
            log.touch(path, facts);
            if (event instanceof TraceEvent.CheckpointWaiting asked
                && !approvals.containsKey(asked.approval())) {
              log.ask(asked.approval());
            }
          }
        });
  }

  private static boolean endsWithoutCut(TraceEvent event) {
    if (event instanceof TraceEvent.StepFailed failed) {
      return failed.next() != null && failed.withoutCut() && failed.cut() == null;
    }
    return event instanceof TraceEvent.StepCompleted done
        && done.withoutCut()
        && done.cut() == null;
  }

  private static @Nullable String stepOf(TraceEvent event) {
    if (event instanceof TraceEvent.OfStep ofStep) {
      return ofStep.step();
    }
    return event instanceof TraceEvent.CheckpointSaved saved ? saved.step() : null;
  }

  private Map<String, BranchState> openUnder(String branch) {
    Map<String, BranchState> open = new LinkedHashMap<>();
    under(branches, branch)
        .forEach(
            (inner, state) -> {
              UndoLog log = undo.get(inner);
              open.put(inner, log == null ? state : state.withUndo(log.written()));
            });
    return open;
  }

  private void open(String path, BranchState branch) {
    branches.put(path, branch.withUndo(null));
    if (!branch.uncommitted().isEmpty()) {
      undo.put(path, UndoLog.of(branch));
    }
  }

  /**
   * Sets every branch back to its newest cut, those first from which others grew: of these only
   * what was there at the cut is left, to be set back in its turn.
   */
  private void takeBackUncommitted() {
    while (!undo.isEmpty()) {
      String branch = undo.firstKey();
      UndoLog log = undo.get(branch);
      BranchState state = branches.get(branch);
      if (log == null || state == null) {
        throw new IllegalStateException("branch '" + branch + "' of run " + run + " is unknown");
      }
      log.restore(facts);
      approvals.keySet().removeAll(log.asked());
      under(branches, branch).clear();
      under(undo, branch).clear();
      undo.remove(branch);
      String first = StepPath.idOf(state.uncommitted().getFirst());
      branches.put(
          branch,
          new BranchState(true, List.of(first), state.cut(), List.of(), false, log.last(), null));
      log.branches().forEach(this::open);
    }
  }

  /** As a new epoch would begin: nothing is uncommitted, nothing runs. */
  void settle() {
    takeBackUncommitted();
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
