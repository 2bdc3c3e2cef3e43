/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A definition: what a runner walks. Immutable, thread-safe.
 *
 * @param name matches {@link Step#ID}
 * @param input what a run's input must look like
 * @param isolation as the definition says, or by its steps
 * @param deadline from a run's creation; the installation's default where there is none
 * @param parkAfter how long a run waits for an approval or a timer before it gives its runner back;
 *     the installation's default where there is none
 * @param maxReroutes how often the gates of one list may send a run back
 * @param concurrency how many of its runs may be under way at once; no limit where there is none
 * @param exclude what cuts of its workspace leave out, in gitignore syntax; the runner's defaults
 *     where there is no such list
 * @param flow its steps
 */
public record Workflow(
    String name,
    Optional<String> description,
    InputSchema input,
    IsolationMode isolation,
    Optional<Duration> deadline,
    RestartPolicy restart,
    Optional<HeartbeatSettings> heartbeat,
    Optional<Duration> parkAfter,
    int maxReroutes,
    OptionalInt concurrency,
    Optional<List<String>> exclude,
    StepFlow flow) {
  /** Directories that are left out where the workflow says nothing, by name. */
  public static final List<String> DEFAULT_EXCLUDE =
      List.of("node_modules", "__pycache__", "target", ".venv");

  /** Patterns of what is left out. */
  public static final int MAX_EXCLUDES = 100;

  /** The largest limit of runs under way. */
  public static final int MAX_CONCURRENCY = 1_000_000;

  /** Steps a workflow may have, those of branches included. */
  public static final int MAX_STEPS = 10_000;

  /** Reroutes of one list, where nothing is said. */
  public static final int DEFAULT_MAX_REROUTES = 10;

  /** Parallels within parallels. */
  public static final int MAX_NESTING = 4;

  /**
   * The workflow of a stored definition, which was checked when it was stored: shape is checked
   * again, meaning is not.
   *
   * @throws IllegalArgumentException when it is not a definition; the message has the first problem
   */
  public static Workflow fromCanonical(JsonNode canonical) {
    DefinitionProblemCollector problems = new DefinitionProblemCollector();
    Workflow workflow =
        new WorkflowDecoder(problems, true).decode(LocatedNode.of(canonical)).orElse(null);
    if (workflow == null || !problems.isEmpty()) {
      throw new IllegalArgumentException(
          "not a workflow definition: " + problems.errors().getFirst().describe());
    }
    return workflow;
  }

  /** All steps, those of branches after their parallel. */
  public List<Step> allSteps() {
    List<Step> all = new ArrayList<>();
    collect(flow, all);
    return List.copyOf(all);
  }

  private static void collect(StepFlow flow, List<Step> all) {
    for (Step step : flow.steps()) {
      all.add(step);
      step.kind().lists().values().forEach(list -> collect(list, all));
    }
  }
}
