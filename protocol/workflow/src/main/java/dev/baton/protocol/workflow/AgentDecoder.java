/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.Template;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Decodes agent steps. */
final class AgentDecoder {
  private static final List<String> KEYS =
      List.of(
          "use",
          "command",
          "version",
          "model",
          "prompt",
          "system",
          "images",
          "tools",
          "interrupted",
          "background",
          "budget",
          "mcp",
          "cut",
          "idle",
          "output",
          "context",
          "continue_from",
          "interactive",
          "gateway",
          "login");

  /** Of an agent with a screen of its own: what its protocol does without one. */
  private static final List<String> DECIDED_ON_SCREEN =
      List.of("tools", "interrupted", "images", "output");

  private static final List<String> TOOL_KEYS = List.of("allow", "ask", "deny", "timeout");
  private static final List<String> INTERRUPTED_KEYS = List.of("rerun", "ask", "tell");
  private static final List<String> CONTEXT_KEYS = List.of("window", "compact_at");
  private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}(\\.[0-9A-Za-z-]{1,30}){0,5}");
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MIN_IDLE = Duration.ofSeconds(1);
  private static final int MAX_WORD = 4_096;
  private static final int MAX_PATTERN = 1_000;
  private static final int MAX_STEP = 200;
  private static final long MAX_COUNT = 1_000_000_000_000_000L;
  private static final BigDecimal MAX_COST = BigDecimal.valueOf(1_000_000_000L);

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;

  AgentDecoder(DefinitionValueDecoder values) {
    this.values = values;
    this.problems = values.problems();
  }

  Optional<StepKind> decode(DefinitionCursor place) {
    return MappingFieldReader.of(place, values, String.join(", ", KEYS)).flatMap(this::decode);
  }

  /** Whether a new runner continues the step at a boundary: unless {@code cut: none}. */
  boolean cutsTurns(DefinitionCursor place) {
    LocatedNode.Entry cut =
        place.node() instanceof LocatedNode.Members members ? members.find("cut") : null;
    return cut == null
        || !(cut.value() instanceof LocatedNode.Scalar scalar)
        || !scalar.value().asText().equals("none");
  }

  private Optional<StepKind> decode(MappingFieldReader fields) {
    fields.allowOnly(KEYS);
    Map<String, String> uses = new LinkedHashMap<>();
    StepKind.Agent.USES.forEach(use -> uses.put(use, use));
    fields.require("use", "use: one of " + String.join(", ", StepKind.Agent.USES));
    Optional<String> use = fields.choice("use", uses);
    fields.require("prompt", "prompt: the task");
    Optional<Template> prompt = fields.template("prompt");
    List<String> command = command(fields, use.orElse(""));
    Optional<String> version = fields.text("version", 100);
    version
        .filter(text -> !VERSION.matcher(text).matches())
        .ifPresent(
            text ->
                problems.error(
                    fields.get("version").orElseThrow(),
                    "'" + text + "' is not a version",
                    "such as 2.1.332, or 2.1 for any release of it"));
    Optional<String> model = fields.text("model", 200);
    Optional<Template> system = fields.template("system");
    List<Template> images = images(fields, use.orElse(""));
    Optional<MappingFieldReader> tools =
        fields
            .get("tools")
            .flatMap(at -> MappingFieldReader.of(at, values, String.join(", ", TOOL_KEYS)));
    tools.ifPresent(found -> found.allowOnly(TOOL_KEYS));
    List<String> allow = tools.map(found -> texts(found, "allow", MAX_PATTERN)).orElse(List.of());
    List<String> deny = tools.map(found -> texts(found, "deny", MAX_PATTERN)).orElse(List.of());
    ToolQuestions ask =
        tools.map(found -> questions(found, use.orElse(""))).orElse(ToolQuestions.NONE);
    InterruptedCalls interrupted = interrupted(fields, use.orElse(""));
    List<BackgroundRule> background = new BackgroundDecoder(values).rules(fields);
    AgentBudget budget = fields.get("budget").map(this::budget).orElse(AgentBudget.UNLIMITED);
    Map<String, McpServerDefinition> mcp = new McpDecoder(values).chosen(fields);
    AgentCutRule cut = new AgentCutDecoder(values).rule(fields);
    boolean interactive = isInteractive(fields, use.orElse(""));
    // Only its people know how long a screen may be silent.
    Duration idle =
        fields
            .duration("idle", MIN_IDLE, DurationParser.MAX)
            .orElse(interactive ? DurationParser.MAX : StepKind.Agent.IDLE);
    Optional<InputSchema> output = fields.get("output").flatMap(this::output);
    AgentContext context = context(fields, use.orElse(""));
    Optional<String> earlier = continueFrom(fields);
    Optional<List<String>> login =
        new AgentLoginDecoder(values).login(fields, use.orElse(""), model);
    return use.flatMap(
        agent ->
            prompt.map(
                task ->
                    new StepKind.Agent(
                        agent,
                        command,
                        version,
                        model,
                        task,
                        system,
                        images,
                        allow,
                        ask,
                        deny,
                        interrupted,
                        background,
                        budget,
                        mcp,
                        idle,
                        output,
                        context,
                        earlier,
                        interactive,
                        cut,
                        login)));
  }

  /** Reads the id of an earlier step; {@link ContinuationChecker} checks that it fits. */
  private Optional<String> continueFrom(MappingFieldReader fields) {
    Optional<String> step = fields.text("continue_from", MAX_STEP);
    step.ifPresent(
        id ->
            values
                .notes()
                .continuations()
                .add(
                    new DefinitionSymbolTable.Target(
                        fields.get("continue_from").orElseThrow(), id)));
    return step;
  }

  private boolean isInteractive(MappingFieldReader fields, String use) {
    boolean interactive = fields.get("interactive").flatMap(values::flag).orElse(false);
    if (interactive && !use.isEmpty() && !StepKind.Agent.USES_WITH_SCREEN.contains(use)) {
      problems.error(
          fields.get("interactive").orElseThrow(),
          "the agent '" + use + "' cannot be interactive",
          "with " + String.join(", ", StepKind.Agent.USES_WITH_SCREEN) + " only");
    }
    if (interactive && StepKind.Agent.USES_WITH_SCREEN.contains(use) && !use.equals("command")) {
      for (String key : DECIDED_ON_SCREEN) {
        fields.refuse(
            key,
            "the agent '%s' has no '%s' on a screen".formatted(use, key),
            "without 'interactive' only");
      }
    }
    return interactive;
  }

  private ToolQuestions questions(MappingFieldReader tools, String use) {
    List<String> patterns = texts(tools, "ask", MAX_PATTERN);
    Optional<Duration> timeout = tools.duration("timeout", MIN_TIMEOUT, DurationParser.MAX);
    boolean asks = StepKind.Agent.USES_THAT_ASK.contains(use);
    if (!use.isEmpty() && !asks) {
      for (String key : List.of("ask", "timeout")) {
        tools
            .get(key)
            .ifPresent(
                at ->
                    problems.error(
                        at,
                        "the agent '%s' requests no permission for its tools, so that '%s' has no effect"
                            .formatted(use, key),
                        "with " + String.join(", ", StepKind.Agent.USES_THAT_ASK) + " only"));
      }
    }
    return new ToolQuestions(patterns, timeout);
  }

  private InterruptedCalls interrupted(MappingFieldReader fields, String use) {
    Optional<DefinitionCursor> place = fields.get("interrupted");
    if (place.isEmpty()) {
      return InterruptedCalls.RERUN;
    }
    if (!use.isEmpty() && !StepKind.Agent.USES_THAT_HOLD_CALLS.contains(use)) {
      problems.error(
          place.get(),
          "the agent '%s' cannot be kept from running a call again, so that 'interrupted' has no effect"
              .formatted(use),
          "with " + String.join(", ", StepKind.Agent.USES_THAT_HOLD_CALLS) + " only");
      return InterruptedCalls.RERUN;
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place.get(), values, String.join(", ", INTERRUPTED_KEYS));
    found.ifPresent(calls -> calls.allowOnly(INTERRUPTED_KEYS));
    return found
        .map(
            calls ->
                new InterruptedCalls(
                    texts(calls, "rerun", MAX_PATTERN),
                    texts(calls, "ask", MAX_PATTERN),
                    texts(calls, "tell", MAX_PATTERN)))
        .orElse(InterruptedCalls.RERUN);
  }

  private List<String> command(MappingFieldReader fields, String use) {
    List<String> command = texts(fields, "command", MAX_WORD);
    boolean wanted = StepKind.Agent.USES_WITH_COMMAND.contains(use);
    if (wanted && fields.get("command").isEmpty()) {
      fields.missing("command", "command: the program and its arguments, as a list");
    }
    if (!use.isEmpty() && !wanted) {
      fields
          .get("command")
          .ifPresent(
              at ->
                  problems.error(
                      at,
                      "the agent '" + use + "' has no 'command'",
                      "with 'use: command' and 'use: acp' only"));
    }
    return command;
  }

  /** Reads a path of an image or a list of such paths, each a template. */
  private List<Template> images(MappingFieldReader fields, String use) {
    Optional<DefinitionCursor> place = fields.get("images");
    if (place.isEmpty()) {
      return List.of();
    }
    DefinitionCursor at = place.get();
    if (!use.isEmpty() && !StepKind.Agent.USES_WITH_IMAGES.contains(use)) {
      problems.error(
          at,
          "the agent '" + use + "' takes no images",
          "with one of " + String.join(", ", StepKind.Agent.USES_WITH_IMAGES));
      return List.of();
    }
    return values
        .oneOrMore(
            at,
            StepKind.Agent.MAX_IMAGES,
            "images",
            "paths of 1 to " + StepKind.Agent.MAX_IMAGES + " files, or a single one")
        .stream()
        .flatMap(item -> values.template(item).stream())
        .toList();
  }

  /** Reads a text or a list of texts. */
  private List<String> texts(MappingFieldReader fields, String key, int maxLength) {
    return fields.get(key).map(values::texts).orElse(List.of()).stream()
        .flatMap(item -> values.text(item, maxLength).stream())
        .toList();
  }

  private AgentBudget budget(DefinitionCursor place) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "cost, tokens, turns");
    found.ifPresent(fields -> fields.allowOnly(List.of("cost", "tokens", "turns")));
    return found
        .map(
            fields ->
                new AgentBudget(
                    fields.get("cost").flatMap(this::cost),
                    fields.get("tokens").flatMap(this::count),
                    fields.get("turns").flatMap(this::count)))
        .orElse(AgentBudget.UNLIMITED);
  }

  private AgentContext context(MappingFieldReader fields, String use) {
    Optional<DefinitionCursor> place = fields.get("context");
    if (place.isEmpty()) {
      return AgentContext.DEFAULT;
    }
    if (!use.isEmpty() && !StepKind.Agent.USES_WITH_CONTEXT.contains(use)) {
      problems.error(
          place.get(),
          "the agent '" + use + "' shortens its conversations by itself",
          "with " + String.join(", ", StepKind.Agent.USES_WITH_CONTEXT) + " only");
      return AgentContext.DEFAULT;
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place.get(), values, String.join(", ", CONTEXT_KEYS));
    found.ifPresent(keys -> keys.allowOnly(CONTEXT_KEYS));
    return found
        .map(
            keys ->
                new AgentContext(
                    keys.get("window").flatMap(this::window),
                    keys.get("compact_at").flatMap(this::share)))
        .orElse(AgentContext.DEFAULT);
  }

  private Optional<Long> window(DefinitionCursor place) {
    JsonNode value = place.node().toJson();
    if (value.canConvertToExactIntegral()
        && value.canConvertToLong()
        && value.longValue() >= AgentContext.MIN_WINDOW
        && value.longValue() <= AgentContext.MAX_WINDOW) {
      return Optional.of(value.longValue());
    }
    problems.error(
        place,
        value + " is not a number of tokens",
        "a whole number from %d to %d".formatted(AgentContext.MIN_WINDOW, AgentContext.MAX_WINDOW));
    return Optional.empty();
  }

  private Optional<Double> share(DefinitionCursor place) {
    JsonNode value = place.node().toJson();
    if (value.isNumber()
        && value.doubleValue() >= AgentContext.MIN_SHARE
        && value.doubleValue() <= AgentContext.MAX_SHARE) {
      return Optional.of(value.doubleValue());
    }
    problems.error(
        place,
        value + " is not a share of the window",
        "a number from %s to %s, such as 0.8"
            .formatted(AgentContext.MIN_SHARE, AgentContext.MAX_SHARE));
    return Optional.empty();
  }

  private Optional<BigDecimal> cost(DefinitionCursor place) {
    JsonNode value = place.node().toJson();
    if (value.isNumber()
        && value.decimalValue().signum() > 0
        && value.decimalValue().compareTo(MAX_COST) <= 0) {
      return Optional.of(value.decimalValue());
    }
    problems.error(place, value + " is not a cost in US dollars", "a number above 0, such as 2.50");
    return Optional.empty();
  }

  private Optional<Long> count(DefinitionCursor place) {
    JsonNode value = place.node().toJson();
    if (value.canConvertToExactIntegral()
        && value.canConvertToLong()
        && value.longValue() >= 1
        && value.longValue() <= MAX_COUNT) {
      return Optional.of(value.longValue());
    }
    problems.error(place, value + " is not a budget", "a whole number from 1 to " + MAX_COUNT);
    return Optional.empty();
  }

  private Optional<InputSchema> output(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return values
          .choice(
              place,
              DefinitionValueDecoder.choices(
                  "text", Optional.<InputSchema>empty(), "json", Optional.of(InputSchema.ANY)))
          .flatMap(known -> known);
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "text, json, or {schema: …}");
    found.ifPresent(
        fields -> {
          fields.allowOnly(List.of("schema"));
          fields.require("schema", "schema: a JSON Schema of the final answer");
        });
    return found
        .flatMap(fields -> fields.get("schema"))
        .map(at -> WorkflowDecoder.decodeSchema(at, values));
  }
}
