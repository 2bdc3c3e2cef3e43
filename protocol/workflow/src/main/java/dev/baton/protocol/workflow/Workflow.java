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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A workflow definition. Immutable, thread-safe.
 *
 * @param name matches {@link Step#ID}
 * @param input schema of a run's input
 * @param isolation from the definition, or derived from its steps
 * @param selector the runners on which its runs may be placed
 * @param deadline from a run's creation; the installation's default where empty
 * @param parkAfter how long a run waits for an approval or a timer before it releases its runner;
 *     the installation's default where empty
 * @param maxReroutes how often the gates of one list may send a run back
 * @param concurrency maximum number of its runs in progress; no limit where empty
 * @param exclude paths excluded from cuts of its workspace, in gitignore syntax; the runner's
 *     defaults where empty
 * @param secrets references to the secrets that its steps use, by name
 * @param flow its steps
 */
public record Workflow(
    String name,
    Optional<String> description,
    InputSchema input,
    IsolationMode isolation,
    RunnerSelector selector,
    Optional<Duration> deadline,
    RestartPolicy restart,
    Optional<HeartbeatSettings> heartbeat,
    Optional<Duration> parkAfter,
    int maxReroutes,
    OptionalInt concurrency,
    Optional<List<String>> exclude,
    Map<String, SecretReference> secrets,
    StepFlow flow) {
  /** Names of directories that are excluded by default. */
  public static final List<String> DEFAULT_EXCLUDE =
      List.of("node_modules", "__pycache__", "target", ".venv");

  /** Maximum number of exclude patterns. */
  public static final int MAX_EXCLUDES = 100;

  /** The highest concurrency limit. */
  public static final int MAX_CONCURRENCY = 1_000_000;

  /** Maximum number of steps, those of branches included. */
  public static final int MAX_STEPS = 10_000;

  /** Default limit of reroutes of one list. */
  public static final int DEFAULT_MAX_REROUTES = 10;

  /** Maximum nesting of parallel steps. */
  public static final int MAX_NESTING = 4;

  /**
   * Reads a stored definition, which was checked when it was stored: its form is checked again, its
   * meaning is not.
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

  /** Whether a shared runner executes programs of the workflow: those of its shell steps. */
  public boolean sharesPrograms() {
    return isolation == IsolationMode.SHARED && flow.runsPrograms();
  }

  /** Returns all steps, those of branches after their parallel step. */
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
