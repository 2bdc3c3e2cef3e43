/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.workflow.InputSchema.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Decodes a tree to records, with all checks that need only the value itself. */
final class WorkflowDecoder {
  static final List<String> KEYS =
      List.of(
          "name",
          "description",
          "input",
          "runner",
          "deadline",
          "restart",
          "heartbeat",
          "park_after",
          "max_reroutes",
          "concurrency",
          "workspace",
          "mcp",
          "secrets",
          "defaults",
          "steps");

  /** Minimum of durations that must not be zero. */
  static final Duration INSTANT = Duration.ofMillis(1);

  private static final int MAX_PATTERN = 1_000;
  private static final Duration DAY = Duration.ofDays(1);

  private final DefinitionProblemCollector problems;
  private final DefinitionSymbolTable notes = new DefinitionSymbolTable();
  private final DefinitionValueDecoder values;

  /**
   * @param trusted whether the definition was checked before
   */
  WorkflowDecoder(DefinitionProblemCollector problems, boolean trusted) {
    this.problems = problems;
    this.values = new DefinitionValueDecoder(problems, notes, trusted);
  }

  DefinitionSymbolTable notes() {
    return notes;
  }

  /**
   * Returns empty when problems prevent decoding; a returned workflow may have problems too, and is
   * used for further checks.
   */
  Optional<Workflow> decode(LocatedNode root) {
    DefinitionCursor place = new DefinitionCursor(root, "", null);
    return MappingFieldReader.of(place, values, "a mapping with name and steps")
        .flatMap(this::decode);
  }

  private Optional<Workflow> decode(MappingFieldReader fields) {
    for (LocatedNode.Entry entry : fields.members().entries()) {
      // A hint for editors; not part of the definition.
      if (!KEYS.contains(entry.key()) && !entry.key().equals("$schema")) {
        fields.unknown(entry, "unknown key", KEYS);
      }
    }
    fields.require("name", "name: a workflow's name");
    Optional<String> name = fields.text("name", 63).filter(this::isName);
    fields
        .get("name")
        .filter(
            at ->
                name.isEmpty()
                    && at.node() instanceof LocatedNode.Scalar s
                    && s.value().isTextual())
        .ifPresent(
            at ->
                problems.error(
                    at, "'" + at.node().toJson().asText() + "' is not a name", Step.ID.pattern()));
    Optional<String> description = fields.text("description", 10_000);
    InputSchema input = fields.get("input").map(this::schema).orElse(InputSchema.ANY);
    RunnerDecoder runners = new RunnerDecoder(values);
    fields.get("runner").ifPresent(runners::decode);
    Optional<IsolationMode> runner = runners.isolation();
    Optional<Duration> deadline = fields.duration("deadline", INSTANT, DurationParser.MAX);
    RestartPolicy restart =
        fields
            .choice(
                "restart",
                DefinitionValueDecoder.choices(
                    "always", RestartPolicy.ALWAYS, "never", RestartPolicy.NEVER))
            .orElse(RestartPolicy.ALWAYS);
    Optional<HeartbeatSettings> heartbeat = fields.get("heartbeat").flatMap(this::heartbeat);
    Optional<Duration> parkAfter = fields.duration("park_after", Duration.ZERO, DurationParser.MAX);
    int maxReroutes =
        fields.integer("max_reroutes", 0, 1_000_000).orElse(Workflow.DEFAULT_MAX_REROUTES);
    OptionalInt concurrency = fields.integer("concurrency", 1, Workflow.MAX_CONCURRENCY);
    Optional<List<String>> exclude = fields.get("workspace").flatMap(this::workspace);
    fields.get("mcp").ifPresent(new McpDecoder(values)::servers);
    Map<String, SecretReference> secrets =
        fields.get("secrets").map(new SecretDecoder(values)::decode).orElse(Map.of());
    if (!values.trusted()) {
      fields
          .get("input")
          .ifPresent(at -> new SecretInputChecker(problems).checkInput(at, secrets.keySet()));
    }
    values.notes().secrets().addAll(SecretInputPolicy.names(input));
    StepDefaults defaults =
        fields.get("defaults").map(at -> StepDefaults.decode(at, values)).orElse(StepDefaults.NONE);
    StepDecoder steps = new StepDecoder(values, defaults);
    fields.require("steps", "steps: a list of at least one step");
    Optional<StepFlow> flow = fields.get("steps").flatMap(at -> steps.flow(at, 0));
    if (flow.isEmpty()) {
      return Optional.empty();
    }
    IsolationMode byKinds = steps.needsProcess() ? IsolationMode.ISOLATED : IsolationMode.SHARED;
    if (runner.equals(Optional.of(IsolationMode.SHARED)) && steps.needsOwnRunner()) {
      fields
          .get("runner")
          .ifPresent(
              at ->
                  problems.error(
                      at,
                      "agent steps, milestones and shell steps with the workspace need a runner of"
                          + " their own",
                      "'isolation: isolated', or 'workspace: none' for each shell step"));
    }
    return Optional.of(
        new Workflow(
            name.orElse("invalid"),
            description,
            input,
            runner.orElse(byKinds),
            runners.selector(),
            deadline,
            restart,
            heartbeat,
            parkAfter,
            maxReroutes,
            concurrency,
            exclude,
            secrets,
            flow.get()));
  }

  private boolean isName(String name) {
    return Step.ID.matcher(name).matches();
  }

  private InputSchema schema(DefinitionCursor place) {
    return decodeSchema(place, values, true);
  }

  /** Decodes the schema of values that are stored as they are, so none is a secret. */
  static InputSchema decodeSchema(DefinitionCursor place, DefinitionValueDecoder values) {
    return decodeSchema(place, values, false);
  }

  private static InputSchema decodeSchema(
      DefinitionCursor place, DefinitionValueDecoder values, boolean secrets) {
    if (!secrets && !values.trusted()) {
      new SecretInputChecker(values.problems()).refuse(place);
    }
    JsonNode json = place.node().toJson();
    InputSchema schema = new InputSchema(json);
    for (Violation violation : values.trusted() ? List.<Violation>of() : schema.check()) {
      DefinitionCursor at = find(place, violation.pointer());
      values
          .problems()
          .error(at, "not a JSON Schema: " + violation.message(), "JSON Schema 2020-12");
    }
    return schema;
  }

  /** Returns the node of a JSON pointer, or the last existing one on its path. */
  static DefinitionCursor find(DefinitionCursor from, String pointer) {
    DefinitionCursor at = from;
    for (String raw : pointer.split("/", -1)) {
      String name = raw.replace("~1", "/").replace("~0", "~");
      switch (at.node()) {
        case LocatedNode.Members members -> {
          LocatedNode.Entry entry = members.find(name);
          at = entry == null ? at : at.member(name, entry.value());
        }
        case LocatedNode.Items(_, List<LocatedNode> items) -> {
          boolean index =
              name.length() < 8 && !name.isEmpty() && name.chars().allMatch(Character::isDigit);
          int i = index ? Integer.parseInt(name) : items.size();
          at = i < items.size() ? at.item(i, items.get(i)) : at;
        }
        case LocatedNode.Scalar _ -> {}
      }
    }
    return at;
  }

  /** Decodes the exclude patterns of cuts; empty where the definition has none. */
  private Optional<List<String>> workspace(DefinitionCursor place) {
    return MappingFieldReader.of(place, values, "a mapping with exclude")
        .flatMap(
            fields -> {
              fields.allowOnly(List.of("exclude"));
              return fields.get("exclude").flatMap(this::patterns);
            });
  }

  private Optional<List<String>> patterns(DefinitionCursor place) {
    String allowed = "a list of at most %d patterns".formatted(Workflow.MAX_EXCLUDES);
    if (!(place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))) {
      problems.error(place, "this must be a list, not " + place.node().typeName(), allowed);
      return Optional.empty();
    }
    if (items.size() > Workflow.MAX_EXCLUDES) {
      problems.error(place, "there are " + items.size() + " patterns", allowed);
      return Optional.empty();
    }
    List<String> patterns = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      DefinitionCursor at = place.item(i, items.get(i));
      Optional<String> pattern = values.text(at, MAX_PATTERN);
      pattern.filter(text -> isPattern(at, text)).ifPresent(patterns::add);
    }
    return Optional.of(List.copyOf(patterns));
  }

  private boolean isPattern(DefinitionCursor at, String pattern) {
    boolean good = !pattern.isBlank() && pattern.chars().noneMatch(c -> c < ' ' || c == 0x7f);
    if (!good) {
      problems.error(
          at, "not a pattern", "one line in the syntax of .gitignore, such as build/ or *.tmp");
    }
    return good;
  }

  private Optional<HeartbeatSettings> heartbeat(DefinitionCursor place) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "interval and timeout");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("interval", "timeout"));
    fields.require("interval", "interval: such as 1s");
    Optional<Duration> interval = fields.duration("interval", HeartbeatSettings.MIN_INTERVAL, DAY);
    if (interval.isEmpty()) {
      return Optional.empty();
    }
    Duration least = interval.get().multipliedBy(3);
    Duration timeout = fields.duration("timeout", INSTANT, DAY.multipliedBy(3)).orElse(least);
    if (timeout.compareTo(least) < 0) {
      fields
          .get("timeout")
          .ifPresent(
              at ->
                  problems.error(
                      at,
                      "the timeout is shorter than three intervals",
                      "at least " + least + " (ISO-8601)"));
    }
    return Optional.of(new HeartbeatSettings(interval.get(), timeout));
  }
}
