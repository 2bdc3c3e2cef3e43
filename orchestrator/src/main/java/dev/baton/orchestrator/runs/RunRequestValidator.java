/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static dev.baton.protocol.clock.HeartbeatBounds.MIN_TIMEOUT_MS;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.launch.RunPlacementPolicy;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.SchemaValidator;
import dev.baton.orchestrator.publish.TracePartitionCounter;
import dev.baton.orchestrator.workflows.StoredWorkflowDefinition;
import dev.baton.orchestrator.workflows.WorkflowCatalog;
import dev.baton.orchestrator.workflows.WorkflowDefinitionCache;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.DurationParser;
import dev.baton.protocol.workflow.HeartbeatSettings;
import dev.baton.protocol.workflow.InputSchema;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.SecretInputPolicy;
import dev.baton.protocol.workflow.Workflow;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates a request for a run completely before the run is written. */
@ApplicationScoped
class RunRequestValidator {
  /** The latest time that every database, clock and message can represent. */
  private static final Instant LATEST_DEADLINE = Instant.parse("9999-12-31T23:59:59Z");

  private static final Pattern PROJECT = ProjectRoles.PROJECT;
  private static final int MAX_PRIORITY = 100;
  private static final int MAX_NAME = 256;
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(MIN_TIMEOUT_MS);

  private final WorkflowDefinitionCache definitions;
  private final WorkflowCatalog catalog;
  private final SchemaValidator schemas;
  private final OrchestratorConfig config;
  private final TracePartitionCounter partitions;
  private final RunPlacementPolicy placement;

  RunRequestValidator(
      WorkflowDefinitionCache definitions,
      WorkflowCatalog catalog,
      SchemaValidator schemas,
      OrchestratorConfig config,
      TracePartitionCounter partitions,
      RunPlacementPolicy placement) {
    this.definitions = definitions;
    this.catalog = catalog;
    this.schemas = schemas;
    this.config = config;
    this.partitions = partitions;
    this.placement = placement;
  }

  /**
   * Requires that the caller may create this run.
   *
   * @return the run's project
   * @throws ProblemException FORBIDDEN, or because the project has no valid name
   */
  String permitted(RunRequest request, ProjectAccess access) {
    String project = project(request);
    access.require(project);
    if (request.definition() != null) {
      access.requireEverywhere("a definition is stored for all projects");
    }
    return project;
  }

  /** Fails with a problem when the request is invalid. */
  Uni<NewRun> check(RunRequest request) {
    boolean external = isExternal(request);
    return definition(request, external).chain(found -> checked(request, external, found));
  }

  /**
   * Like {@link #check}, for many requests; a definition that several requests name is loaded once.
   */
  Uni<List<NewRun>> checkAll(List<RunRequest> requests) {
    Map<String, Uni<Optional<StoredWorkflowDefinition>>> known = new HashMap<>();
    return Multi.createFrom()
        .iterable(requests)
        .onItem()
        .transformToUniAndConcatenate(
            request -> {
              boolean external = isExternal(request);
              String reference = request.workflow();
              Uni<Optional<StoredWorkflowDefinition>> found =
                  reference == null || request.definition() != null
                      ? definition(request, external)
                      : known.computeIfAbsent(
                          external + reference,
                          key -> definition(request, external).memoize().indefinitely());
              return found.chain(definition -> checked(request, external, definition));
            })
        .collect()
        .asList();
  }

  private Uni<Optional<StoredWorkflowDefinition>> definition(RunRequest request, boolean external) {
    String reference = request.workflow();
    JsonNode inline = request.definition();
    if (reference != null && inline != null) {
      throw bad("workflow", "both 'workflow' and 'definition' are given", "one of them");
    }
    if (inline != null) {
      return catalog
          .put(Json.bytes(inline), DefinitionFormat.JSON)
          .chain(put -> definitions.byHash(put.hash()))
          .map(Optional::of);
    }
    if (reference == null) {
      if (external) {
        return Uni.createFrom().item(Optional.empty());
      }
      throw bad("workflow", "neither 'workflow' nor 'definition' is given", "one of them");
    }
    // A foreign runner may run work whose definition is not stored here.
    return external && reference.indexOf('@') < 0
        ? Uni.createFrom().item(Optional.empty())
        : definitions.resolve(reference).map(Optional::of);
  }

  private Uni<NewRun> checked(
      RunRequest request, boolean external, Optional<StoredWorkflowDefinition> definition) {
    JsonNode input = request.input();
    JsonNode value = input == null ? Json.mapper().createObjectNode() : input;
    checkInput(value);
    definition.map(StoredWorkflowDefinition::workflow).ifPresent(it -> checkSecrets(it, value));
    InputSchema schema =
        definition
            .map(StoredWorkflowDefinition::workflow)
            .map(Workflow::input)
            .orElse(InputSchema.ANY);
    return schemas
        .check(
            schema,
            value,
            ProblemKind.INVALID_INPUT,
            "the input does not fit the workflow's schema")
        .map(fits -> build(request, external, definition));
  }

  /** Before the schema, whose messages could repeat a value. */
  private static void checkSecrets(Workflow workflow, JsonNode input) {
    List<InputSchema.Violation> violations = SecretInputPolicy.violations(workflow, input);
    if (!violations.isEmpty()) {
      throw ProblemException.withErrors(
          ProblemKind.INVALID_INPUT,
          "the input has a secret that is not a reference",
          violations.stream().map(FieldProblem::of).toList());
    }
  }

  private NewRun build(
      RunRequest request, boolean external, Optional<StoredWorkflowDefinition> definition) {
    Optional<Workflow> workflow = definition.map(StoredWorkflowDefinition::workflow);
    JsonNode input = request.input();
    Instant now = Instant.now();
    Heartbeat heartbeat = heartbeat(request, workflow);
    if (!external) {
      workflow.ifPresent(placement::check);
    }
    String id = external ? externalId(request) : RunId.next();
    return new NewRun(
        id,
        external,
        project(request),
        definition
            .map(StoredWorkflowDefinition::name)
            .orElseGet(() -> workflowName(request.workflow())),
        definition.map(StoredWorkflowDefinition::hash).orElse(null),
        workflow.map(Workflow::isolation).orElse(IsolationMode.ISOLATED),
        RunLabelService.check(request.labels()),
        input,
        workflow.map(w -> w.restart().name().toLowerCase(Locale.ROOT)).orElse("always"),
        deadline(request, workflow, now),
        heartbeat.interval(),
        heartbeat.timeout(),
        now,
        null,
        priority(request),
        partitions.choose(id),
        definition.map(this::carried).orElse(null));
  }

  /**
   * Returns null when the trace need not contain the definition, or when the definition is too
   * large.
   */
  private @Nullable String carried(StoredWorkflowDefinition definition) {
    return config.archive().git().isPresent()
            && definition.canonical().size() <= Output.INLINE_LIMIT
        ? definition.canonical().toStringUtf8()
        : null;
  }

  private static boolean isExternal(RunRequest request) {
    String kind = request.kind();
    if (kind == null || kind.equals(RunKind.MANAGED.word())) {
      if (request.id() != null) {
        throw bad("id", "'id' is given for a managed run", "only external runs bring an id");
      }
      return false;
    }
    if (kind.equals(RunKind.EXTERNAL.word())) {
      return true;
    }
    throw bad("kind", "kind '" + kind + "' is unknown", "managed, external");
  }

  private static String externalId(RunRequest request) {
    String id = request.id();
    if (id == null) {
      return RunId.next();
    }
    if (!RunId.isValid(id)) {
      throw bad("id", "id '" + id + "' is not a run id", "a ULID in lower case (26 characters)");
    }
    return id;
  }

  private static String project(RunRequest request) {
    String project = request.project();
    if (project == null) {
      return "default";
    }
    if (!PROJECT.matcher(project).matches()) {
      throw bad("project", "project '" + project + "' is not a project name", PROJECT.pattern());
    }
    return project;
  }

  private static int priority(RunRequest request) {
    int priority = Objects.requireNonNullElse(request.priority(), 0);
    if (priority < -MAX_PRIORITY || priority > MAX_PRIORITY) {
      throw bad("priority", "priority " + priority, "-100 to 100");
    }
    return priority;
  }

  private static @Nullable String workflowName(@Nullable String name) {
    if (name != null && (name.length() > MAX_NAME || ControlTextValidator.hasNul(name))) {
      throw bad(
          "workflow",
          "the workflow's name is not allowed",
          "at most " + MAX_NAME + " characters, no NUL");
    }
    return name;
  }

  /** Checked before the schema, so that the validated value is small. */
  private static void checkInput(JsonNode value) {
    ControlTextValidator.checkKept("input", value);
    if (ControlTextValidator.hasNul(value)) {
      throw bad("input", "the input contains a NUL character", "text without one");
    }
    int size = Json.bytes(value).length;
    if (size > Output.INLINE_LIMIT) {
      throw new ProblemException(
          ProblemKind.TOO_LARGE,
          "the input has %,d bytes; allowed: %,d bytes; put larger data where a step can fetch it"
              .formatted(size, Output.INLINE_LIMIT));
    }
  }

  private static @Nullable Instant deadline(
      RunRequest request, Optional<Workflow> workflow, Instant now) {
    String text = request.deadline();
    if (text == null) {
      return workflow.flatMap(Workflow::deadline).map(now::plus).orElse(null);
    }
    Instant deadline = instant(text).orElseGet(() -> now.plus(duration("deadline", text)));
    if (!deadline.isAfter(now)) {
      throw bad("deadline", "deadline '" + text + "' has passed", "a moment in the future");
    }
    if (deadline.isAfter(LATEST_DEADLINE)) {
      throw bad(
          "deadline", "deadline '" + text + "' is too late", "a moment before the year 10000");
    }
    return deadline;
  }

  private static Optional<Instant> instant(String text) {
    if (text.isEmpty() || !Character.isDigit(text.charAt(0)) || text.indexOf('T') < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      throw bad(
          "deadline", "deadline '" + text + "': " + e.getMessage(), "1h, or 2030-01-31T12:00:00Z");
    }
  }

  private record Heartbeat(Duration interval, Duration timeout) {}

  private Heartbeat heartbeat(RunRequest request, Optional<Workflow> workflow) {
    Optional<HeartbeatSettings> defined = workflow.flatMap(Workflow::heartbeat);
    RunRequest.HeartbeatRequest asked = request.heartbeat();
    if (asked == null) {
      return new Heartbeat(
          defined.map(HeartbeatSettings::interval).orElse(config.heartbeat().interval()),
          defined.map(HeartbeatSettings::timeout).orElse(config.heartbeat().timeout()));
    }
    if (asked.interval() == null || asked.timeout() == null) {
      throw bad(
          "heartbeat", "'interval' and 'timeout' are both needed", "{interval: 1s, timeout: 3s}");
    }
    Duration interval = duration("heartbeat.interval", asked.interval());
    Duration timeout = duration("heartbeat.timeout", asked.timeout());
    if (interval.compareTo(HeartbeatSettings.MIN_INTERVAL) < 0) {
      throw bad("heartbeat.interval", "'" + asked.interval() + "' is too short", "200ms or more");
    }
    if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(interval.multipliedBy(3)) < 0) {
      throw bad(
          "heartbeat.timeout", "'" + asked.timeout() + "' is too short", "three intervals or more");
    }
    return new Heartbeat(interval, timeout);
  }

  private static Duration duration(String path, String text) {
    return DurationParser.parse(text)
        .orElseThrow(() -> bad(path, "'" + text + "' is not a duration", DurationParser.ALLOWED));
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
