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

  /** Returns what the run's definition demands; blocks for a query unless it is cached. */
  RunnerDemand demand(RunControlState run) {
    String hash = run.definitionHash();
    return hash == null
        ? RunnerDemand.ANY
        : RunnerDemand.of(definitions.byHash(hash).await().atMost(SQL).workflow());
  }

  /** Whether an attached runner may carry a run with this demand, if it has a free slot. */
  boolean isFit(RunnerConnection runner, RunnerDemand demand) {
    return runner.properties().fits(demand.selector())
        && (!demand.sharesPrograms()
            || runner.isExternal()
            || launchers
                .place(runner.properties().launcher(), runner.properties().pool())
                .filter(RunnerPlace::sharesPrograms)
                .isPresent());
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
    RunnerDemand demand = RunnerDemand.of(workflow);
    RunnerSelector selector = demand.selector();
    if ((selector.isAny() && !demand.sharesPrograms())
        || launchers.places().stream()
            .anyMatch(place -> place.fits(selector) && lack(place, demand).isEmpty())
        || attachments.all().stream().anyMatch(runner -> isFit(runner, demand))) {
      return;
    }
    String message =
        demand.sharesPrograms()
            ? "no shared runner can ever execute the workflow's shell steps on a runner "
                + describe(selector)
            : "no launcher can ever start a runner for the workflow's runner " + describe(selector);
    String allowed =
        Stream.concat(
                launchers.places().stream()
                    .map(
                        place ->
                            place.describe()
                                + lack(place, demand).map(why -> " (" + why + ")").orElse("")),
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

  /** Returns why no runner of a pool can serve such runs; runners that attach are not known. */
  private Optional<String> lack(RunnerPlace place, RunnerDemand demand) {
    return launchers.startable().contains(place) ? place.lack(demand) : Optional.empty();
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
