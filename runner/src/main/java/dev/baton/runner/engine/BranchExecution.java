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
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.state.BranchState;
import dev.baton.protocol.state.StepEnd;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepFlow;
import dev.baton.protocol.workflow.StepGate;
import dev.baton.protocol.workflow.StepOutcome;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Executes one line of steps: the main line or a branch. Remembers its position, so that a second
 * execution after a failure continues with the step that failed. For one thread at a time.
 */
final class BranchExecution {
  private final RunExecutionContext run;
  private final String branch;
  private final StepFlow flow;
  private final ObjectNode info;
  private StepOutputTree outputs;
  private final @Nullable Workspace workspace;
  private final Path directory;
  private final BranchState left;

  /** The cut inside the step in progress on whose files the line is opened. */
  private final @Nullable Cut inside;

  private boolean open;
  private @Nullable Step next;
  private int reroutes;

  /** Why the line had failed when an earlier epoch ended; null once it has been thrown. */
  private @Nullable BranchFailedException failed;

  private Output last = new Output.Inline(NullNode.getInstance());

  private BranchExecution(
      RunExecutionContext run,
      String branch,
      StepFlow flow,
      ObjectNode info,
      StepOutputTree outputs,
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
    this.inside = run.memory().takeResumePoint(branch).orElse(null);
  }

  /**
   * @param workspace null if no step of the workflow uses files
   */
  static BranchExecution main(
      RunExecutionContext run, StepFlow flow, @Nullable Workspace workspace) {
    return new BranchExecution(
        run,
        StepPath.MAIN,
        flow,
        run.info(),
        new StepOutputTree(run.blobs()),
        workspace,
        run.folder().workspace());
  }

  /**
   * @param place what its expressions see as {@code .run.branch}
   * @param files whether it gets a copy of this line's workspace
   */
  BranchExecution branch(String path, StepFlow steps, ObjectNode place, boolean files) {
    ObjectNode branchInfo = info.objectNode();
    branchInfo.setAll(info);
    branchInfo.set("branch", place);
    Workspace copy =
        files && workspace != null ? workspace.branch(run.folder().branch(path)) : null;
    // Without a copy its steps only read the files, as the parallel step found them.
    Path where = copy == null ? directory : copy.root();
    return new BranchExecution(run, path, steps, branchInfo, outputs, copy, where);
  }

  /** Restores the line from the trace: its files, its outputs and its next step. */
  void open() throws InterruptedException {
    if (open) {
      return;
    }
    // The line that it branches from waits for it, so its own outputs were not needed until now.
    outputs = outputs.branch();
    try {
      openWorkspace();
      if (left.begun()) {
        openOutputs();
        Output known = left.last() == null ? null : left.last().output();
        last = known == null ? last : known;
      }
    } catch (StoreException | IOException e) {
      throw new RunBrokenException(
          "line '" + branch + "' of run " + run.run() + " cannot be restored", e);
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

  /** Releases the outputs that the branch's expressions used, after it has completed. */
  void release() {
    outputs = new StepOutputTree(run.blobs());
  }

  private @Nullable BranchFailedException failureLeft() {
    for (StepState state : run.memory().stepsOn(branch)) {
      if (state.status() == StepState.Status.FAILED && !state.hasEnded() && state.error() != null) {
        return new BranchFailedException(state.step(), state.error());
      }
    }
    return null;
  }

  private void openWorkspace() throws StoreException, IOException, InterruptedException {
    if (workspace == null) {
      return;
    }
    if (inside != null) {
      workspace.resume(left.cut(), inside);
    } else if (left.cut() != null) {
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
                    "the trace continues with '" + id + "', which does not exist"));
  }

  /**
   * Executes the steps one after the other.
   *
   * @return the output of the last step that completed
   * @throws BranchFailedException when a step fails permanently
   * @throws InterruptedException when the run is stopped
   */
  Output walk() throws InterruptedException, BranchFailedException {
    open();
    BranchFailedException before = failed;
    if (before != null) {
      failed = null;
      throw before;
    }
    do {
      for (Step step = next; step != null; step = next) {
        run.control().check();
        run.control().hold().await();
        new StepVisitExecution(run, this, step).run();
      }
    } while (isRerouted());
    return last;
  }

  /**
   * Checks at the line's end whether a gate reroutes it. Uses only what is on the trace, so that
   * every runner that reaches this end decides the same.
   *
   * @throws BranchFailedException when a gate is not satisfied and cannot reroute the line
   */
  private boolean isRerouted() throws InterruptedException, BranchFailedException {
    for (Step step : flow.steps()) {
      StepGate gate = step.gate().orElse(null);
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

  private boolean isSatisfied(Step step, StepGate gate)
      throws InterruptedException, BranchFailedException {
    Optional<StepOutcome> outcome = outputs.outcome(step.id());
    if (outcome.isEmpty()) {
      return true;
    }
    try {
      return outcome.get() != StepOutcome.FAILURE
          && (gate.when().isEmpty() || gate.when().get().test(scope()));
    } catch (RuntimeException | Error e) {
      throw new BranchFailedException(
          path(step), UnexpectedFailurePolicy.failure(run, path(step), e).error());
    }
  }

  private Step rerouteTarget(Step step, StepGate gate) throws BranchFailedException {
    String unsatisfied = "the gate of step '" + path(step) + "' is not satisfied";
    Optional<Step> to = gate.to().flatMap(flow::find);
    if (to.isEmpty()) {
      throw new BranchFailedException(path(step), Failure.of("gate_unsatisfied", unsatisfied));
    }
    if (reroutes >= run.maxReroutes()) {
      String most = unsatisfied + " after " + reroutes + " reroutes, the maximum";
      throw new BranchFailedException(path(step), Failure.of("gate_unsatisfied", most));
    }
    return to.get();
  }

  /** Returns how many steps of this line earlier epochs completed. */
  long replayed() {
    return run.memory().stepsOn(branch).stream()
        .filter(state -> state.status() == StepState.Status.COMPLETED)
        .count();
  }

  ExpressionScope scope() {
    return ExpressionScope.of(run.input(), outputs.tree(), info);
  }

  String path(Step step) {
    return StepPath.of(branch, step.id());
  }

  @Nullable Workspace workspace() {
    return workspace;
  }

  /**
   * Returns the paths in the files that cuts leave out, that a failover has lost, and that are
   * still missing.
   */
  List<String> leftOut() {
    return workspace == null ? List.of() : workspace.missing();
  }

  /** Returns the directory in which its steps run. */
  Path directory() {
    return directory;
  }

  /**
   * Returns where a completed step leads, decided with the current outputs.
   *
   * @param value of the output
   */
  StepFlow.Way completed(Step step, Output output, JsonNode value) {
    outputs.keepIfHeld(value);
    outputs.put(step.id(), StepEnd.SUCCESS, output);
    last = output;
    return flow.after(step, StepOutcome.SUCCESS, scope()).orElseThrow();
  }

  /**
   * Returns what expressions see of a step, for {@link #restoreEntry}; null if there is nothing.
   */
  @Nullable JsonNode entry(Step step) {
    return outputs.entry(step.id());
  }

  /** Restores what expressions see of a step. */
  void restoreEntry(Step step, @Nullable JsonNode entry) {
    outputs.restore(step.id(), entry);
  }

  StepFlow.Way skipped(Step step) {
    outputs.put(step.id(), StepEnd.SKIPPED, null);
    return flow.after(step, StepOutcome.SKIPPED, scope()).orElseThrow();
  }

  /** Returns where a failed step leads; empty if the workflow does not define it. */
  Optional<StepFlow.Way> failed(Step step, Failure error) {
    JsonNode before = outputs.entry(step.id());
    outputs.put(step.id(), StepEnd.failure(error), null);
    Optional<StepFlow.Way> way = Optional.empty();
    try {
      way = flow.after(step, StepOutcome.FAILURE, scope());
      return way;
    } finally {
      if (way.isEmpty()) { // The visit has not ended.
        outputs.restore(step.id(), before);
      }
    }
  }

  void goTo(StepFlow.Way way) {
    next = way.to().orElse(null);
  }
}
