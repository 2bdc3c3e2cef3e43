/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.expression.Template;
import dev.baton.protocol.expression.TemplateTree;
import dev.baton.protocol.workflow.InputSchema.Violation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Decodes the settings of each kind of step, except shell. */
final class StepKindDecoder {
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");
  private static final Pattern BEAN = Pattern.compile("[A-Za-z_][A-Za-z0-9_.$-]{0,199}");

  /** The default schema of approvals: {@code {"approved": true|false}}, with any other members. */
  private static final InputSchema YES_OR_NO = yesOrNo();

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;
  private final StepDecoder steps;
  private final ShellDecoder shell;
  private final AgentDecoder agents;

  StepKindDecoder(DefinitionValueDecoder values, StepDecoder steps, StepDefaults defaults) {
    this.values = values;
    this.problems = values.problems();
    this.steps = steps;
    this.shell = new ShellDecoder(values, defaults);
    this.agents = new AgentDecoder(values);
  }

  /**
   * @param place of the kind's value
   * @param step the whole step
   */
  Optional<StepKind> decode(
      String word, DefinitionCursor place, MappingFieldReader step, int nesting) {
    return switch (word) {
      case "shell" -> shell.decode(place, step);
      case "http" ->
          MappingFieldReader.of(place, values, "method, url, headers, body, timeout, expect")
              .flatMap(this::http);
      case "transform" ->
          values
              .expression(place, DefinitionSymbolTable.Moment.BEFORE_STEP)
              .map(StepKind.Transform::new);
      case "parallel" ->
          MappingFieldReader.of(place, values, "over and steps, or branches")
              .flatMap(fields -> parallel(fields, nesting));
      case "approval" -> approval(place);
      case "wait" -> waitTime(place).map(StepKind.Wait::new);
      case "fn" -> fn(place);
      default -> agents.decode(place);
    };
  }

  private Optional<StepKind> http(MappingFieldReader fields) {
    fields.allowOnly(List.of("method", "url", "headers", "body", "timeout", "expect"));
    Map<String, String> methods = new LinkedHashMap<>();
    METHODS.forEach(method -> methods.put(method, method));
    String method = fields.choice("method", methods).orElse("GET");
    fields.require("url", "url: https://…");
    Optional<Template> url = fields.template("url").filter(template -> checkUrl(fields, template));
    Map<String, Template> headers = fields.templates("headers", "names and values");
    for (String name : headers.keySet()) {
      if (!HEADER.matcher(name).matches()) {
        fields
            .get("headers")
            .ifPresent(
                at ->
                    problems.error(at, "'" + name + "' is not a header's name", HEADER.pattern()));
      }
    }
    Optional<TemplateTree> body = fields.get("body").map(values::secretTree);
    Duration timeout =
        fields
            .duration("timeout", WorkflowDecoder.INSTANT, Duration.ofDays(1))
            .orElse(StepKind.Http.DEFAULT_TIMEOUT);
    Set<Integer> expect =
        fields.get("expect").map(at -> shell.integers(at, 100, 599)).orElse(Set.of());
    return url.map(to -> new StepKind.Http(method, to, headers, body, timeout, expect));
  }

  /** Checks the part of a URL that is known before it is computed. */
  private boolean checkUrl(MappingFieldReader fields, Template url) {
    String text = url.text().toLowerCase(Locale.ROOT);
    if (text.startsWith("http://")
        || text.startsWith("https://")
        || text.startsWith(Template.OPEN)) {
      return true;
    }
    fields
        .get("url")
        .ifPresent(
            at -> problems.error(at, "'" + url.text() + "' is not a URL", "http://… or https://…"));
    return false;
  }

  private Optional<StepKind> parallel(MappingFieldReader fields, int nesting) {
    fields.allowOnly(List.of("over", "steps", "branches", "max", "join"));
    int max =
        fields.integer("max", 1, StepKind.Parallel.MAX_WIDTH).orElse(StepKind.Parallel.DEFAULT_MAX);
    if (nesting >= Workflow.MAX_NESTING) {
      problems.error(
          fields.place(),
          "parallels are nested too deeply",
          "at most " + Workflow.MAX_NESTING + " levels");
      return Optional.empty();
    }
    boolean over = fields.get("over").isPresent() || fields.get("steps").isPresent();
    if (over == fields.get("branches").isPresent()) {
      problems.error(
          fields.place(), "a parallel needs one of two shapes", "over and steps, or branches");
      return Optional.empty();
    }
    JoinPolicy join = fields.get("join").map(this::join).orElse(JoinPolicy.ALL);
    return over ? over(fields, max, join, nesting) : branches(fields, max, join, nesting);
  }

  /** Decodes {@code all}, {@code any}, or a number. */
  private JoinPolicy join(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar scalar && scalar.value().isTextual()) {
      Map<String, JoinPolicy> words =
          DefinitionValueDecoder.choices("all", JoinPolicy.ALL, "any", new JoinPolicy.First(1));
      return values.choice(place, words).orElse(JoinPolicy.ALL);
    }
    if (place.node() instanceof LocatedNode.Scalar scalar && scalar.value().isNumber()) {
      return values
          .integer(place, 1, StepKind.Parallel.MAX_WIDTH)
          .<JoinPolicy>map(JoinPolicy.First::new)
          .orElse(JoinPolicy.ALL);
    }
    problems.error(
        place, place.node().typeName() + " is not a valid join", "all, any, or a number");
    return JoinPolicy.ALL;
  }

  private Optional<StepKind> over(
      MappingFieldReader fields, int max, JoinPolicy join, int nesting) {
    fields.require("over", "over: an expression whose result is a list");
    fields.require("steps", "steps: what to do for each item");
    Optional<Expression> items =
        fields.expression("over", DefinitionSymbolTable.Moment.BEFORE_STEP);
    Optional<StepFlow> body = fields.get("steps").flatMap(at -> steps.flow(at, nesting + 1));
    return items.flatMap(list -> body.map(flow -> new StepKind.Over(list, max, join, flow)));
  }

  private Optional<StepKind> branches(
      MappingFieldReader fields, int max, JoinPolicy join, int nesting) {
    Optional<MappingFieldReader> found =
        fields
            .get("branches")
            .flatMap(at -> MappingFieldReader.of(at, values, "names, each with a list of steps"));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    List<LocatedNode.Entry> entries = found.get().members().entries();
    if (entries.isEmpty() || entries.size() > StepKind.Parallel.MAX_WIDTH) {
      problems.error(
          found.get().place(),
          "there are " + entries.size() + " branches",
          "1 to " + StepKind.Parallel.MAX_WIDTH);
    }
    Map<String, StepFlow> branches = new TreeMap<>();
    for (LocatedNode.Entry entry : entries) {
      DefinitionCursor at = found.get().place().member(entry.key(), entry.value());
      if (!Step.ID.matcher(entry.key()).matches()) {
        problems.error(
            entry.keyMark(),
            at.step(),
            at.path(),
            "'" + entry.key() + "' is not a branch's name",
            Step.ID.pattern());
      }
      steps.flow(at, nesting + 1).ifPresent(flow -> branches.put(entry.key(), flow));
    }
    if (join.wanted(entries.size()) > entries.size()) {
      fields
          .get("join")
          .ifPresent(
              at ->
                  problems.error(
                      at,
                      "there are " + entries.size() + " branches",
                      "at most " + entries.size()));
    }
    return branches.isEmpty()
        ? Optional.empty()
        : Optional.of(new StepKind.Branches(branches, max, join));
  }

  private Optional<StepKind> approval(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return values
          .template(place)
          .map(
              prompt ->
                  new StepKind.Approval(prompt, YES_OR_NO, Optional.empty(), Optional.empty()));
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "prompt, schema, timeout, default");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("prompt", "schema", "timeout", "default"));
    fields.require("prompt", "prompt: the question");
    Optional<Template> prompt = fields.template("prompt");
    int before = problems.errors().size();
    InputSchema schema =
        fields.get("schema").map(at -> WorkflowDecoder.decodeSchema(at, values)).orElse(YES_OR_NO);
    boolean schemaIsGood = !values.trusted() && problems.errors().size() == before;
    Optional<Duration> timeout =
        fields.duration("timeout", WorkflowDecoder.INSTANT, DurationParser.MAX);
    Optional<JsonNode> defaultAnswer = fields.json("default");
    fields
        .get("default")
        .ifPresent(
            at -> {
              if (fields.get("timeout").isEmpty()) {
                problems.error(at, "a default answer needs a timeout", "together with 'timeout'");
              }
              List<Violation> wrong =
                  schemaIsGood ? schema.validate(at.node().toJson()) : List.of();
              for (Violation violation : wrong) {
                problems.error(
                    WorkflowDecoder.find(at, violation.pointer()),
                    "the default is not an answer the schema allows: " + violation.message(),
                    null);
              }
            });
    return prompt.map(asked -> new StepKind.Approval(asked, schema, timeout, defaultAnswer));
  }

  private static InputSchema yesOrNo() {
    JsonNodeFactory json = JsonNodeFactory.instance;
    ObjectNode schema = json.objectNode().put("type", "object");
    schema.putObject("properties").putObject("approved").put("type", "boolean");
    schema.putArray("required").add("approved");
    return new InputSchema(schema);
  }

  private Optional<WaitTime> waitTime(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return waitFor(place);
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "a duration, {for: duration} or {until: time}");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("for", "until"));
    if (fields.get("for").isPresent() == fields.get("until").isPresent()) {
      problems.error(
          fields.place(), "a wait needs exactly one of 'for' and 'until'", "for, or until");
      return Optional.empty();
    }
    return fields.get("for").isPresent()
        ? fields.get("for").flatMap(this::waitFor)
        : fields.get("until").flatMap(this::waitUntil);
  }

  private Optional<WaitTime> waitFor(DefinitionCursor place) {
    boolean fixed =
        !(place.node() instanceof LocatedNode.Scalar scalar)
            || !Template.isTemplate(scalar.value().asText());
    if (fixed && values.duration(place, Duration.ZERO, DurationParser.MAX).isEmpty()) {
      return Optional.empty();
    }
    return values.template(place).map(WaitTime.For::new);
  }

  private Optional<WaitTime> waitUntil(DefinitionCursor place) {
    Optional<Template> template = values.template(place);
    if (template.isPresent() && template.get().isFixed()) {
      try {
        WaitTime.instant(place.node().toJson());
      } catch (IllegalArgumentException e) {
        problems.error(
            place,
            "'" + template.get() + "' is not a time",
            "such as 2026-05-01T12:00:00Z, or seconds since the epoch");
        return Optional.empty();
      }
    }
    return template.map(WaitTime.Until::new);
  }

  private Optional<StepKind> fn(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return bean(place).map(bean -> new StepKind.Fn(bean, new TemplateTree.Members(Map.of())));
    }
    Optional<MappingFieldReader> found = MappingFieldReader.of(place, values, "bean and args");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("bean", "args"));
    fields.require("bean", "bean: a name");
    TemplateTree args =
        fields.get("args").map(values::tree).orElseGet(() -> new TemplateTree.Members(Map.of()));
    return fields.get("bean").flatMap(this::bean).map(bean -> new StepKind.Fn(bean, args));
  }

  private Optional<String> bean(DefinitionCursor place) {
    Optional<String> bean = values.text(place, 1_000);
    if (bean.isPresent() && !BEAN.matcher(bean.get()).matches()) {
      problems.error(place, "'" + bean.get() + "' is not a bean's name", BEAN.pattern());
      return Optional.empty();
    }
    return bean;
  }
}
