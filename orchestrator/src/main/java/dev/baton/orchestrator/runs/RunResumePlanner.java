/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.events.StoredTraceClient;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.workflows.StoredWorkflowDefinition;
import dev.baton.orchestrator.workflows.WorkflowCatalog;
import dev.baton.orchestrator.workflows.WorkflowDefinitionCache;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ResumeRequestChecker;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.StepChange;
import dev.baton.protocol.workflow.Workflow;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Validates the changes that a resume requests, and builds their event. */
@ApplicationScoped
class RunResumePlanner {
  private static final Logger LOG = Logger.getLogger(RunResumePlanner.class);

  /**
   * Maximum number of definition changes that the trace names; only the number of further ones is
   * stored.
   */
  private static final int MOST_NAMED = 200;

  /**
   * @param event to write; null when nothing changes
   * @param definition to continue with; null for the current one
   */
  record Plan(
      TraceEvent.@Nullable ResumeRequested event, @Nullable StoredWorkflowDefinition definition) {}

  /** A definition to continue with. {@code text} is not stored yet. */
  private record Next(String hash, Workflow workflow, @Nullable JsonNode text) {}

  private final RunQueryService queries;
  private final StoredTraceClient store;
  private final WorkflowDefinitionCache definitions;
  private final WorkflowCatalog catalog;

  RunResumePlanner(
      RunQueryService queries,
      StoredTraceClient store,
      WorkflowDefinitionCache definitions,
      WorkflowCatalog catalog) {
    this.queries = queries;
    this.store = store;
    this.definitions = definitions;
    this.catalog = catalog;
  }

  /**
   * Plans a resume without changes. Fails like {@link #plan}.
   *
   * @param caller {@link #caller} of the request
   */
  Uni<Plan> plain(String run, Executor caller) {
    return requireFiles(run).emitOn(caller).replaceWith(new Plan(null, null));
  }

  /**
   * Fails with a conflict when files that the run needs are missing. An unavailable store does not
   * prevent the resume: the runner checks the files again, with a longer timeout.
   */
  private Uni<Void> requireFiles(String run) {
    return store
        .requireFiles(run, queries.seen(run))
        .onFailure(failure -> !isConflict(failure))
        .invoke(
            failure ->
                LOG.warnf(
                    "run %s: resumed without checking its files: %s", run, failure.getMessage()))
        .onFailure(failure -> !isConflict(failure))
        .recoverWithNull();
  }

  private static boolean isConflict(Throwable failure) {
    return failure instanceof ProblemException problem && problem.kind() == ProblemKind.CONFLICT;
  }

  /**
   * Fails with a problem that contains every reason when the run cannot be resumed like this.
   *
   * @param hash of the run's current definition
   * @param caller {@link #caller} of the request: a definition can only be stored on its context
   */
  Uni<Plan> plan(String run, String hash, ResumeRequest asked, Executor caller) {
    // The files of an earlier step are checked with the state before that step.
    Uni<Void> files = asked.from() == null ? requireFiles(run) : Uni.createFrom().voidItem();
    return files
        .emitOn(caller)
        .chain(() -> definitions.byHash(hash))
        .chain(current -> plan(run, current, asked, caller));
  }

  /** Returns an executor for the calling thread's Vert.x context. */
  static Executor caller() {
    Context context = Vertx.currentContext();
    return context == null
        ? Runnable::run
        : command -> context.runOnContext(ignored -> command.run());
  }

  private Uni<Plan> plan(
      String run, StoredWorkflowDefinition current, ResumeRequest asked, Executor caller) {
    return next(asked)
        .chain(
            next -> {
              Next changed =
                  next.filter(other -> !other.hash().equals(current.hash())).orElse(null);
              if (changed == null && asked.isPlainButDefinition()) {
                return Uni.createFrom().item(new Plan(null, null));
              }
              List<String> changes =
                  changed == null ? List.of() : accepted(run, current, changed, asked);
              return store
                  .resumePoint(run, queries.seen(run), asked.from())
                  .map(
                      point ->
                          checked(
                              run,
                              current,
                              changed,
                              event(asked, point.after(), changed, changes),
                              point))
                  .emitOn(caller)
                  .chain(event -> kept(changed).map(kept -> new Plan(event, kept)));
            });
  }

  private Uni<Optional<Next>> next(ResumeRequest asked) {
    JsonNode inline = asked.definition();
    if (inline != null) {
      return catalog
          .check(bytes(inline), format(inline))
          .map(valid -> Optional.of(new Next(valid.hash(), valid.workflow(), inline)));
    }
    String reference = asked.workflow();
    return reference == null
        ? Uni.createFrom().item(Optional.empty())
        : definitions
            .resolve(reference)
            .map(found -> Optional.of(new Next(found.hash(), found.workflow(), null)));
  }

  private static List<String> accepted(
      String run, StoredWorkflowDefinition current, Next next, ResumeRequest asked) {
    if (!next.workflow().name().equals(current.name())) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s has workflow '%s', the definition has '%s'"
              .formatted(run, current.name(), next.workflow().name()));
    }
    List<StepChange> changes = StepChange.between(current.workflow(), next.workflow());
    List<String> told = new ArrayList<>();
    changes.stream().limit(MOST_NAMED).map(StepChange::describe).forEach(told::add);
    if (changes.size() > MOST_NAMED) {
      told.add("and %d more".formatted(changes.size() - MOST_NAMED));
    }
    if (!Boolean.TRUE.equals(asked.acceptChanges())) {
      throw problem(
          "the definition has changed since run %s began".formatted(run),
          "workflow",
          told,
          "the same definition, or accept_changes where every completed step is still there with the"
              + " same kind and inputs");
    }
    return told;
  }

  private static TraceEvent.ResumeRequested event(
      ResumeRequest asked, @Nullable String after, @Nullable Next changed, List<String> changes) {
    Map<String, Output> set = new LinkedHashMap<>();
    Objects.requireNonNull(asked.set())
        .forEach((step, value) -> set.put(step, new Output.Inline(value)));
    return new TraceEvent.ResumeRequested(
        asked.by(),
        asked.from(),
        after,
        set,
        Objects.requireNonNull(asked.skip()),
        changed == null ? null : changed.hash(),
        changes,
        asked.budget());
  }

  private static TraceEvent.ResumeRequested checked(
      String run,
      StoredWorkflowDefinition current,
      @Nullable Next changed,
      TraceEvent.ResumeRequested event,
      StoredTraceClient.Point point) {
    List<String> problems =
        ResumeRequestChecker.problems(
            event,
            point.state(),
            current.workflow(),
            changed == null ? current.workflow() : changed.workflow());
    if (!problems.isEmpty()) {
      throw problem("run %s cannot be resumed like this".formatted(run), "resume", problems, null);
    }
    return event;
  }

  private static ProblemException problem(
      String what, String path, List<String> reasons, @Nullable String allowed) {
    return ProblemException.withErrors(
        ProblemKind.CONFLICT,
        what + ": " + (reasons.isEmpty() ? "its text differs" : reasons.getFirst()),
        reasons.stream().map(reason -> FieldProblem.at(path, reason, allowed)).toList());
  }

  /** Stores the accepted definition, which its name then resolves to. */
  private Uni<@Nullable StoredWorkflowDefinition> kept(@Nullable Next changed) {
    if (changed == null) {
      return Uni.createFrom().nullItem();
    }
    JsonNode text = changed.text();
    Uni<StoredWorkflowDefinition> kept =
        text == null
            ? definitions.byHash(changed.hash())
            : catalog
                .put(bytes(text), format(text))
                .chain(() -> definitions.byHash(changed.hash()));
    return kept.map(definition -> definition);
  }

  /** An object is JSON; a text is YAML, whose errors have line numbers. */
  private static DefinitionFormat format(JsonNode definition) {
    return definition.isTextual() ? DefinitionFormat.YAML : DefinitionFormat.JSON;
  }

  private static byte[] bytes(JsonNode definition) {
    return definition.isTextual()
        ? definition.textValue().getBytes(StandardCharsets.UTF_8)
        : Json.bytes(definition);
  }
}
