/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.expression.Scope;
import dev.baton.protocol.state.BranchState;
import dev.baton.protocol.state.StepEnd;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.Flow;
import dev.baton.protocol.workflow.Gate;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepOutcome;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One line of steps on its way: the main line or a branch. Remembers where it is, so that walking
 * it again after a failure goes on with the step that failed. For one thread at a time.
 */
final class Line {
  private final RunContext run;
  private final String branch;
  private final Flow flow;
  private final ObjectNode info;
  private Outputs outputs;
  private final @Nullable Workspace workspace;
  private final Path directory;
  private final BranchState left;
  private boolean open;
  private @Nullable Step next;
  private int reroutes;

  /** Why the line had failed when an earlier epoch ended; null once that has been said. */
  private @Nullable LineFailed failed;

  private Output last = new Output.Inline(NullNode.getInstance());

  private Line(
      RunContext run,
      String branch,
      Flow flow,
      ObjectNode info,
      Outputs outputs,
      @Nullable Workspace workspace,
      Path directory) {
    this.run = run;
    this.branch = branch;
    this.flow = flow;
    this.info = info;
    this.outputs = outputs;
    this.workspace = workspace;
    this.directory = directory;
    this.left = run.memory().takeBranch(branch);
  }

  /**
   * @param workspace null where no step of the workflow touches files
   */
  static Line main(RunContext run, Flow flow, @Nullable Workspace workspace) {
    return new Line(
        run,
        StepPath.MAIN,
        flow,
        run.info(),
        new Outputs(run.blobs()),
        workspace,
        run.folder().workspace());
  }

  /**
   * @param place what expressions on it see as {@code .run.branch}
   * @param files whether it gets a copy of this line's workspace
   */
  Line branch(String path, Flow steps, ObjectNode place, boolean files) {
    ObjectNode branchInfo = info.objectNode();
    branchInfo.setAll(info);
    branchInfo.set("branch", place);
    Workspace copy =
        files && workspace != null ? workspace.branch(run.folder().branch(path)) : null;
    // Without a copy its steps only look, at the files as the parallel found them.
    Path where = copy == null ? directory : copy.root();
    return new Line(run, path, steps, branchInfo, outputs, copy, where);
  }

  /** Puts the line where the trace says it was: its files, its outputs, its next step. */
  void open() throws InterruptedException {
    if (open) {
      return;
    }
    // The line that it comes from waits for it: until now its own were not needed.
    outputs = outputs.branch();
    try {
      openWorkspace();
      if (left.begun()) {
        openOutputs();
        Output known = left.last() == null ? null : left.last().output();
        last = known == null ? last : known;
      }
    } catch (StoreException | IOException e) {
      throw new RunBroken("line '" + branch + "' of run " + run.run() + " cannot be restored", e);
    }
    if (left.begun()) {
      next = nextLeft();
      reroutes = run.memory().reroutesOn(branch);
    } else {
      next = flow.first();
    }
    failed = left.failed() ? failureLeft() : null;
    open = true;
  }

  private void openOutputs() {
    for (StepState state : run.memory().stepsOn(branch)) {
      StepEnd end = state.last();
      if (end != null) {
        outputs.put(StepPath.idOf(state.step()), end, state.output());
      }
    }
  }

  /** The branch has ended well: what its expressions saw is needed no longer. */
  void release() {
    outputs = new Outputs(run.blobs());
  }

  private @Nullable LineFailed failureLeft() {
    for (StepState state : run.memory().stepsOn(branch)) {
      if (state.status() == StepState.Status.FAILED && !state.hasEnded() && state.error() != null) {
        return new LineFailed(state.step(), state.error());
      }
    }
    return null;
  }

  private void openWorkspace() throws StoreException, IOException, InterruptedException {
    if (workspace == null) {
      return;
    }
    if (left.cut() != null) {
      workspace.restore(left.cut());
    } else {
      workspace.begin();
    }
  }

  private @Nullable Step nextLeft() {
    if (left.next().isEmpty()) {
      return null;
    }
    String id = StepPath.idOf(left.next().getFirst());
    return flow.find(id)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the trace goes on with '" + id + "', which does not exist"));
  }

  /**
   * Runs one step after the other.
   *
   * @return the output of the last step that completed
   * @throws LineFailed when one fails for good
   * @throws InterruptedException when the run is stopped
   */
  Output walk() throws InterruptedException, LineFailed {
    open();
    LineFailed before = failed;
    if (before != null) {
      failed = null;
      throw before;
    }
    do {
      for (Step step = next; step != null; step = next) {
        run.control().check();
        run.control().hold().await();
        new StepVisit(run, this, step).run();
      }
    } while (isRerouted());
    return last;
  }

  /**
   * At the line's end: whether a gate sends it back. Looks at what the trace has, and only at that,
   * so that whoever comes back to this end decides the same.
   *
   * @throws LineFailed when a gate is not satisfied and may send it nowhere
   */
  private boolean isRerouted() throws InterruptedException, LineFailed {
    for (Step step : flow.steps()) {
      Gate gate = step.gate().orElse(null);
      if (gate != null && !isSatisfied(step, gate)) {
        Step to = rerouteTarget(step, gate);
        reroutes++;
        run.append(new TraceEvent.StepRerouted(path(step), path(to), reroutes));
        next = to;
        return true;
      }
    }
    return false;
  }

  private boolean isSatisfied(Step step, Gate gate) throws InterruptedException, LineFailed {
    Optional<StepOutcome> outcome = outputs.outcome(step.id());
    if (outcome.isEmpty()) {
      return true;
    }
    try {
      return outcome.get() != StepOutcome.FAILURE
          && (gate.when().isEmpty() || gate.when().get().test(scope()));
    } catch (RuntimeException | Error e) {
      throw new LineFailed(path(step), UnexpectedFailurePolicy.failure(run, path(step), e).error());
    }
  }

  private Step rerouteTarget(Step step, Gate gate) throws LineFailed {
    String unsatisfied = "the gate of step '" + path(step) + "' is not satisfied";
    Optional<Step> to = gate.to().flatMap(flow::find);
    if (to.isEmpty()) {
      throw new LineFailed(path(step), Failure.of("gate_unsatisfied", unsatisfied));
    }
    if (reroutes >= run.maxReroutes()) {
      String most = unsatisfied + " after " + reroutes + " reroutes, the most there may be";
      throw new LineFailed(path(step), Failure.of("gate_unsatisfied", most));
    }
    return to.get();
  }

  /** How many steps earlier epochs completed on this line. */
  long replayed() {
    return run.memory().stepsOn(branch).stream()
        .filter(state -> state.status() == StepState.Status.COMPLETED)
        .count();
  }

  Scope scope() {
    return Scope.of(run.input(), outputs.tree(), info);
  }

  String path(Step step) {
    return StepPath.of(branch, step.id());
  }

  @Nullable Workspace workspace() {
    return workspace;
  }

  /** Paths in the files that cuts leave out, and that a failover has lost, as far as still so. */
  List<String> leftOut() {
    return workspace == null ? List.of() : workspace.missing();
  }

  /** Where its steps run. */
  Path directory() {
    return directory;
  }

  /**
   * Where a step leads that has completed, decided with the outputs as they are now.
   *
   * @param value of the output
   */
  Flow.Way completed(Step step, Output output, JsonNode value) {
    outputs.keepIfHeld(value);
    outputs.put(step.id(), StepEnd.SUCCESS, output);
    last = output;
    return flow.after(step, StepOutcome.SUCCESS, scope()).orElseThrow();
  }

  /** What expressions see of a step, for {@link #restoreEntry}; null where there is nothing. */
  @Nullable JsonNode entry(Step step) {
    return outputs.entry(step.id());
  }

  /** Makes what expressions see of a step what it was. */
  void restoreEntry(Step step, @Nullable JsonNode entry) {
    outputs.restore(step.id(), entry);
  }

  Flow.Way skipped(Step step) {
    outputs.put(step.id(), StepEnd.SKIPPED, null);
    return flow.after(step, StepOutcome.SKIPPED, scope()).orElseThrow();
  }

  /** Where a step leads that has failed; empty where nothing says what happens then. */
  Optional<Flow.Way> failed(Step step, Failure error) {
    JsonNode before = outputs.entry(step.id());
    outputs.put(step.id(), StepEnd.failure(error), null);
    Optional<Flow.Way> way = Optional.empty();
    try {
      way = flow.after(step, StepOutcome.FAILURE, scope());
      return way;
    } finally {
      if (way.isEmpty()) { // The visit has not ended.
        outputs.restore(step.id(), before);
      }
    }
  }

  void goTo(Flow.Way way) {
    next = way.to().orElse(null);
  }
}
