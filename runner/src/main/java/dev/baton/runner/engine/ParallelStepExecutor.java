/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.workflow.StepFlow;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.outputs.ReferencedArray;
import dev.baton.runner.outputs.ReferencedObject;
import dev.baton.runner.outputs.ReferencedValue;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepResult;
import dev.baton.snapshot.MergeResult;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Executes the branches of a parallel step concurrently. Each branch has its own state of steps and
 * its own copy of the workspace; the changes are merged when as many branches have completed as the
 * join requires. A further attempt continues the branches where they are.
 */
final class ParallelStepExecutor {
  private static final Logger LOG = Logger.getLogger(ParallelStepExecutor.class);

  /** Limit in bytes of JSON of all branches' outputs that are combined in memory. */
  private static final long IN_MEMORY = 1L << 20;

  private final RunExecutionContext run;
  private final BranchExecution parent;
  private final String path;
  private final StepKind.Parallel kind;
  private @Nullable List<Branch> branches;

  /** A branch and its output. */
  static final class Branch {
    final String name;
    final BranchExecution line;
    private volatile @Nullable Output output;

    Branch(String name, BranchExecution line) {
      this.name = name;
      this.line = line;
    }

    boolean hasEnded() {
      return output != null;
    }

    void ended(Output with) {
      output = with;
      line.release();
    }

    /** JSON null if the join did not wait for it. */
    Output output() {
      Output known = output;
      return known == null ? new Output.Inline(NullNode.getInstance()) : known;
    }
  }

  ParallelStepExecutor(
      RunExecutionContext run, BranchExecution parent, String path, StepKind.Parallel kind) {
    this.run = run;
    this.parent = parent;
    this.path = path;
    this.kind = kind;
  }

  StepResult attempt(Deadline deadline) throws InterruptedException {
    List<Branch> all = branches;
    if (all == null) {
      JsonNode items = items();
      if (items != null && !items.isArray()) {
        return StepResult.failedForGood(
            "expression", "'over' returned " + items.getNodeType() + ", not a list");
      }
      if (items != null && items.size() > StepKind.Parallel.MAX_WIDTH) {
        return StepResult.failedForGood(
            "expression",
            "'over' returned "
                + items.size()
                + " items, at most "
                + StepKind.Parallel.MAX_WIDTH
                + " are allowed");
      }
      all = make(items);
      branches = all;
    }
    int wanted = kind.join().wanted(all.size());
    if (wanted > all.size()) {
      return StepResult.failedForGood(
          "join", "there are " + all.size() + " branches, but " + wanted + " must complete");
    }
    BranchExecutor.Result result = new BranchExecutor(run, kind.max(), wanted).run(all, deadline);
    return switch (result) {
      case BranchExecutor.Result.Enough enough -> join(all);
      case BranchExecutor.Result.TooManyFailed(Branch branch, BranchFailedException failure) ->
          new StepResult.Failed(
              new dev.baton.protocol.trace.Failure(
                  failure.failure().code(),
                  StepResult.shorten("branch " + branch.name + ": " + failure.getMessage()),
                  failure.failure().exitCode()),
              true,
              null);
      case BranchExecutor.Result.TimedOut timedOut ->
          StepResult.failed("timeout", "the branches exceeded their timeout");
    };
  }

  private @Nullable JsonNode items() {
    return switch (kind) {
      case StepKind.Over over -> over.items().evaluate(parent.scope());
      case StepKind.Branches named -> null;
    };
  }

  private List<Branch> make(@Nullable JsonNode items) {
    List<Branch> made = new ArrayList<>();
    switch (kind) {
      case StepKind.Over over -> {
        if (items != null) {
          for (int i = 0; i < items.size(); i++) {
            made.add(branch(Integer.toString(i), i, items.get(i), over.body()));
          }
        }
      }
      case StepKind.Branches named -> {
        for (Map.Entry<String, StepFlow> entry : named.branches().entrySet()) {
          made.add(branch(entry.getKey(), made.size(), null, entry.getValue()));
        }
      }
    }
    return made;
  }

  private Branch branch(String name, int index, @Nullable JsonNode item, StepFlow flow) {
    ObjectNode place = JsonNodeFactory.instance.objectNode();
    place.put("name", name);
    place.put("index", index);
    if (item != null) {
      place.set("item", item);
    }
    String branchPath = StepPath.branch(path, name);
    return new Branch(name, parent.branch(branchPath, flow, place, flow.usesFiles()));
  }

  private StepResult join(List<Branch> all) throws InterruptedException {
    Workspace target = parent.workspace();
    if (target != null) {
      try {
        Map<String, Workspace> copies = copies(all);
        if (!copies.isEmpty()
            && target.merge(copies) instanceof MergeResult.MergeConflict conflict) {
          return StepResult.failedForGood("merge_conflict", conflict.describe());
        }
      } catch (IOException e) {
        throw new RunBrokenException("the branches of '" + path + "' cannot be merged", e);
      }
      all.forEach(this::removeFiles);
    }
    return StepResult.done(together(all));
  }

  /**
   * Combines the branches' outputs: in memory if they are small in total, by reference otherwise.
   */
  private JsonNode together(List<Branch> all) {
    long size = all.stream().mapToLong(branch -> ReferencedValue.size(branch.output())).sum();
    return switch (kind) {
      case StepKind.Over over -> {
        if (size > IN_MEMORY) {
          yield new ReferencedArray(all.stream().map(Branch::output).toList(), run.blobs());
        }
        ArrayNode list = JsonNodeFactory.instance.arrayNode(all.size());
        all.forEach(branch -> list.add(run.blobs().load(branch.output())));
        yield list;
      }
      case StepKind.Branches named -> {
        if (size > IN_MEMORY) {
          Map<String, Output> outputs = new LinkedHashMap<>();
          all.forEach(branch -> outputs.put(branch.name, branch.output()));
          yield new ReferencedObject(outputs, run.blobs());
        }
        ObjectNode map = JsonNodeFactory.instance.objectNode();
        all.forEach(branch -> map.set(branch.name, run.blobs().load(branch.output())));
        yield map;
      }
    };
  }

  /** Returns the copies of the branches that have one and have ended. */
  private static Map<String, Workspace> copies(List<Branch> all) {
    Map<String, Workspace> copies = new LinkedHashMap<>();
    for (Branch branch : all) {
      Workspace copy = branch.line.workspace();
      if (copy != null && branch.hasEnded()) {
        copies.put(branch.name, copy);
      }
    }
    return copies;
  }

  private void removeFiles(Branch branch) {
    Workspace copy = branch.line.workspace();
    if (copy != null && Files.exists(copy.root())) {
      try {
        TreeDeleter.deleteFully(copy.root());
      } catch (IOException e) {
        LOG.warnf("%s cannot be deleted: %s", copy.root(), e);
      }
    }
  }
}
