/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunControlState;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.workflows.WorkflowDefinitionCache;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.RunnerSelector;
import dev.baton.protocol.workflow.Workflow;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides on which launchers and pools a run may be placed: those that its workflow selects, in the
 * configured order.
 */
@ApplicationScoped
public class RunPlacementPolicy {
  private static final Duration SQL = Duration.ofSeconds(10);

  private final LauncherRegistry launchers;
  private final RunnerRegistry attachments;
  private final WorkflowDefinitionCache definitions;

  RunPlacementPolicy(
      LauncherRegistry launchers, RunnerRegistry attachments, WorkflowDefinitionCache definitions) {
    this.launchers = launchers;
    this.attachments = attachments;
    this.definitions = definitions;
  }

  /** Returns the selector of the run's definition; blocks for a query unless it is cached. */
  RunnerSelector selector(RunControlState run) {
    String hash = run.definitionHash();
    return hash == null
        ? RunnerSelector.ANY
        : definitions.byHash(hash).await().atMost(SQL).workflow().selector();
  }

  /**
   * Returns the places in which a runner can be started for the run, in the order of preference.
   */
  List<RunnerPlace> startable(RunnerSelector selector) {
    return launchers.startable().stream().filter(place -> place.fits(selector)).toList();
  }

  /** Returns for which pool a run waits that selects one which does not exist. */
  Optional<LauncherCapacityLimiter.Result.Full> missingPool(RunnerSelector selector) {
    if (selector.pool().isEmpty()
        || launchers.places().stream().anyMatch(place -> place.fits(selector))) {
      return Optional.empty();
    }
    return Optional.of(
        new LauncherCapacityLimiter.Result.Full(
            selector.launcher().orElse("any"),
            selector.pool().get(),
            null,
            new LaunchRefusal(
                LaunchRefusal.NO_POOL,
                "no pool fits "
                    + describe(selector)
                    + "; add it to the settings of a launcher or apply its RunnerPool")));
  }

  /**
   * Rejects a workflow for whose runs no runner can ever be started or expected to attach.
   *
   * @throws ProblemException which lists the launchers and labels that exist
   */
  public void check(Workflow workflow) {
    RunnerSelector selector = workflow.selector();
    if (selector.isAny()
        || launchers.places().stream()
            .anyMatch(place -> place.fits(selector) && canServe(place, workflow.isolation()))
        || attachments.all().stream().anyMatch(runner -> runner.properties().fits(selector))) {
      return;
    }
    String message =
        "no launcher can ever start a runner for the workflow's runner " + describe(selector);
    String allowed =
        Stream.concat(
                launchers.places().stream()
                    .map(
                        place ->
                            place.describe()
                                + (canServe(place, workflow.isolation())
                                    ? ""
                                    : " (no shared runners)")),
                attachments.all().stream()
                    .filter(runner -> !runner.properties().labels().isEmpty())
                    .map(RunPlacementPolicy::describe)
                    .distinct())
            .collect(Collectors.joining("; "));
    throw ProblemException.withErrors(
        ProblemKind.NO_RUNNER,
        message + "; there are: " + allowed,
        List.of(FieldProblem.at("runner", message, allowed)));
  }

  /** A pool without shared runners serves light runs only if runners attach by themselves. */
  private boolean canServe(RunnerPlace place, IsolationMode isolation) {
    return isolation == IsolationMode.ISOLATED
        || place.shared() > 0
        || !launchers.startable().contains(place);
  }

  private static String describe(RunnerConnection runner) {
    return "attached runners with labels " + runner.properties().labels();
  }

  private static String describe(RunnerSelector selector) {
    return Stream.of(
            selector.launcher().map(name -> "launcher: " + name),
            selector.pool().map(name -> "pool: " + name),
            selector.labels().isEmpty()
                ? Optional.<String>empty()
                : Optional.of("labels: " + selector.labels()))
        .flatMap(Optional::stream)
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
