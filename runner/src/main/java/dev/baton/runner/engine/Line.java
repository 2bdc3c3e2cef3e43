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
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.workflow.Flow;
import dev.baton.protocol.workflow.Step;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
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
  private final Outputs outputs;
  private final @Nullable Workspace workspace;
  private final Path directory;
  private final BranchState left;
  private boolean open;
  private @Nullable Step next;
  private JsonNode last = NullNode.getInstance();

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
        run, StepPath.MAIN, flow, run.info(), new Outputs(), workspace, run.folder().workspace());
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
    return new Line(run, path, steps, branchInfo, outputs.branch(), copy, where);
  }

  /** Puts the line where the trace says it was: its files, its outputs, its next step. */
  void open() throws InterruptedException {
    if (open) {
      return;
    }
    try {
      openWorkspace();
      for (StepState state : run.memory().stepsOn(branch)) {
        Output output = state.output();
        if (output != null) {
          outputs.put(StepPath.idOf(state.step()), run.blobs().unpack(output));
        }
      }
    } catch (StoreException | IOException e) {
      throw new RunBroken("line '" + branch + "' of run " + run.run() + " cannot be restored", e);
    }
    next = left.begun() ? nextLeft() : flow.first();
    last = lastLeft();
    open = true;
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

  /** The output of the step that completed last, as far as the trace tells. */
  private JsonNode lastLeft() {
    Optional<StepState> newest =
        run.memory().stepsOn(branch).stream()
            .filter(state -> state.status() == StepState.Status.COMPLETED)
            .max(Comparator.comparing(Line::endOf));
    return newest
        .map(state -> outputs.tree().path(StepPath.idOf(state.step())).path("output"))
        .filter(output -> !output.isMissingNode())
        .orElse(NullNode.getInstance());
  }

  private static Instant endOf(StepState state) {
    Instant started = state.startedAt();
    return started == null ? Instant.MIN : started.plusNanos(state.durationUs() * 1_000);
  }

  /**
   * Runs one step after the other.
   *
   * @return the output of the last step that completed
   * @throws LineFailed when one fails for good
   * @throws InterruptedException when the run is stopped
   */
  JsonNode walk() throws InterruptedException, LineFailed {
    open();
    for (Step step = next; step != null; step = next) {
      run.control().check();
      new StepVisit(run, this, step).run();
    }
    return last;
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

  /** Where its steps run. */
  Path directory() {
    return directory;
  }

  void completed(Step step, JsonNode output) {
    outputs.put(step.id(), output);
    last = output;
  }

  void skipped(Step step) {
    outputs.remove(step.id());
  }

  /** What follows the step, decided with the outputs as they are now. */
  Optional<Step> after(Step step) {
    return flow.after(step, scope());
  }

  void goTo(Optional<Step> following) {
    next = following.orElse(null);
  }
}
