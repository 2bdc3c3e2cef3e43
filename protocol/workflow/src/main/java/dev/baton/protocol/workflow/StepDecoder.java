/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Expression;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/** Decodes lists of steps, and the keys common to all steps. */
final class StepDecoder {
  static final List<String> KINDS =
      List.of("shell", "http", "transform", "parallel", "approval", "wait", "fn", "agent");
  private static final List<String> COMMON =
      List.of(
          "id",
          "title",
          "when",
          "retry",
          "timeout",
          "workspace",
          "next",
          "gate",
          "max_visits",
          "milestone",
          "resume",
          "sandbox");
  private static final List<String> SHELL =
      List.of("env", "output", "interpreter", "ok_exit_codes");

  /** All keys of steps, of every kind. */
  static final List<String> KEYS = Stream.of(COMMON, KINDS, SHELL).flatMap(List::stream).toList();

  /** Kinds with external effects, which can fail temporarily or take long. */
  private static final Set<String> EFFECTS = Set.of("shell", "http", "fn", "agent");

  private static final Set<String> WITH_WORKSPACE = Set.of("shell", "fn", "agent");

  /** Kinds whose programs can have a sandbox. */
  private static final Set<String> SANDBOXED = Set.of("shell", "agent");

  /** Kinds whose {@code resume} is chosen; an agent step has {@code cut} for it. */
  private static final Set<String> RESUMED = Set.of("shell", "fn");

  private static final int MAX_ARMS = 100;
  private static final int MAX_WEIGHT = 1_000_000;
  private static final Map<String, StepTransition.On> OUTCOMES = outcomes();

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;
  private final StepDefaults defaults;
  private final StepKindDecoder kinds;
  private int count;
  private boolean needsProcess;
  private boolean needsOwnRunner;

  StepDecoder(DefinitionValueDecoder values, StepDefaults defaults) {
    this.values = values;
    this.problems = values.problems();
    this.defaults = defaults;
    this.kinds = new StepKindDecoder(values, this, defaults);
  }

  private static Map<String, StepTransition.On> outcomes() {
    Map<String, StepTransition.On> words = new LinkedHashMap<>();
    words.put("success", StepTransition.On.SUCCESS);
    words.put("failure", StepTransition.On.FAILURE);
    words.put("any", StepTransition.On.ANY);
    return words;
  }

  /** Whether a step runs programs. */
  boolean needsProcess() {
    return needsProcess;
  }

  /** Whether a step runs programs that only a runner of one run can execute. */
  boolean needsOwnRunner() {
    return needsOwnRunner;
  }

  /** Decodes a list of steps; empty when none of them can be decoded. */
  Optional<StepFlow> flow(DefinitionCursor place, int nesting) {
    if (!(place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))
        || items.isEmpty()) {
      String found =
          place.node() instanceof LocatedNode.Items ? "an empty list" : place.node().typeName();
      problems.error(place, "this must be a list of steps, not " + found, "at least one step");
      return Optional.empty();
    }
    List<Step> steps = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < items.size(); i++) {
      if (++count > Workflow.MAX_STEPS) {
        problems.error(
            place.item(i, items.get(i)),
            "there are too many steps",
            "at most " + Workflow.MAX_STEPS);
        break;
      }
      step(place.item(i, items.get(i)), nesting)
          .filter(step -> ids.add(step.id()))
          .ifPresent(steps::add);
    }
    return steps.isEmpty() ? Optional.empty() : Optional.of(new StepFlow(steps));
  }

  private Optional<Step> step(DefinitionCursor place, int nesting) {
    Optional<MappingFieldReader> outside =
        MappingFieldReader.of(
            place, values, "a step: an id, and one of " + String.join(", ", KINDS));
    Optional<String> id = outside.flatMap(this::id);
    if (outside.isEmpty()) {
      return Optional.empty();
    }
    // Problems from here on name the step.
    MappingFieldReader fields =
        MappingFieldReader.of(place.inStep(id.orElse(null)), values, "").orElseThrow();
    Optional<String> word = kindWord(fields);
    Optional<String> title = fields.text("title", 200);
    Optional<Expression> when = fields.expression("when", DefinitionSymbolTable.Moment.BEFORE_STEP);
    Optional<StepRetryPolicy> retry =
        fields.get("retry").flatMap(at -> StepDefaults.retry(at, values));
    Optional<Duration> timeout =
        fields.duration("timeout", WorkflowDecoder.INSTANT, DurationParser.MAX);
    Optional<WorkspaceUse> workspace =
        fields.choice(
            "workspace",
            DefinitionValueDecoder.choices("none", WorkspaceUse.NONE, "write", WorkspaceUse.WRITE));
    List<StepTransition> next = fields.get("next").map(this::arms).orElse(List.of());
    Optional<StepGate> gate = fields.get("gate").flatMap(this::gate);
    OptionalInt maxVisits = fields.integer("max_visits", 1, 1_000_000);
    Optional<MilestoneSettings> milestone =
        fields.get("milestone").flatMap(new MilestoneDecoder(values)::decode);
    Optional<StepResumeMode> resume =
        fields.choice(
            "resume",
            DefinitionValueDecoder.choices(
                "from_start",
                StepResumeMode.FROM_START,
                "from_checkpoint",
                StepResumeMode.FROM_CHECKPOINT));
    if (word.isEmpty()) {
      return Optional.empty();
    }
    onlyFor(fields, "retry", EFFECTS, word.get());
    onlyFor(fields, "timeout", EFFECTS, word.get());
    onlyFor(fields, "workspace", WITH_WORKSPACE, word.get());
    onlyFor(fields, "milestone", WITH_WORKSPACE, word.get());
    onlyFor(fields, "resume", RESUMED, word.get());
    onlyFor(fields, "sandbox", SANDBOXED, word.get());
    if (word.get().equals("agent") && workspace.equals(Optional.of(WorkspaceUse.NONE))) {
      problems.error(
          fields.get("workspace").orElseThrow(),
          "an agent works in the workspace",
          "'workspace: write', or no 'workspace'");
    }
    if (milestone.isPresent() && workspace.equals(Optional.of(WorkspaceUse.NONE))) {
      problems.error(
          fields.place(),
          "a milestone commits the workspace",
          "'workspace: write', or no 'workspace'");
    }
    boolean process = word.get().equals("shell") || word.get().equals("agent");
    // Verification commands run programs too.
    needsProcess |= process || milestone.isPresent();
    WorkspaceUse use =
        workspace.orElse(process || milestone.isPresent() ? WorkspaceUse.WRITE : WorkspaceUse.NONE);
    needsOwnRunner |= milestone.isPresent() || (process && use == WorkspaceUse.WRITE);
    if (resume.equals(Optional.of(StepResumeMode.FROM_CHECKPOINT))
        && RESUMED.contains(word.get())
        && use == WorkspaceUse.NONE) {
      problems.error(
          fields.get("resume").orElseThrow(),
          "a step without a workspace has no checkpoint to resume from",
          "'workspace: write', or 'resume: from_start'");
    }
    boolean effect = EFFECTS.contains(word.get());
    Optional<StepKind> kind =
        fields.get(word.get()).flatMap(at -> kinds.decode(word.get(), at, fields, nesting));
    if (fields.get(word.get()).isEmpty()) {
      problems.error(fields.place(), "'" + word.get() + "' has no value", null);
    }
    Optional<SandboxRule> sandbox =
        SANDBOXED.contains(word.get()) ? sandbox(fields) : Optional.empty();
    sandbox.ifPresent(
        rule -> kind.ifPresent(decoded -> new SandboxDecoder(values).check(rule, fields, decoded)));
    return id.flatMap(
        known ->
            kind.map(
                decoded ->
                    new Step(
                        known,
                        title,
                        decoded,
                        when,
                        retry.orElse(effect ? defaults.retry() : StepRetryPolicy.NONE),
                        timeout.isPresent() || !effect ? timeout : defaults.timeout(),
                        use,
                        next,
                        gate,
                        maxVisits,
                        milestone,
                        decoded instanceof StepKind.Agent
                            ? agentResume(fields)
                            : resume.orElse(StepResumeMode.FROM_START),
                        sandbox)));
  }

  private Optional<SandboxRule> sandbox(MappingFieldReader fields) {
    Optional<DefinitionCursor> own = fields.get("sandbox");
    return own.isPresent() ? own.flatMap(new SandboxDecoder(values)::decode) : defaults.sandbox();
  }

  private StepResumeMode agentResume(MappingFieldReader fields) {
    return fields.get("agent").filter(new AgentDecoder(values)::cutsTurns).isPresent()
        ? StepResumeMode.FROM_CHECKPOINT
        : StepResumeMode.FROM_START;
  }

  /** Whether steps of a kind may have a key that is not common to all kinds. */
  static boolean allows(String key, String word) {
    return switch (key) {
      case "retry", "timeout" -> EFFECTS.contains(word);
      case "workspace", "milestone" -> WITH_WORKSPACE.contains(word);
      case "resume" -> RESUMED.contains(word);
      case "sandbox" -> SANDBOXED.contains(word);
      default -> !SHELL.contains(key) || word.equals("shell");
    };
  }

  private void onlyFor(MappingFieldReader fields, String key, Set<String> allowed, String word) {
    if (!allowed.contains(word)) {
      String kindsAllowed = String.join(", ", KINDS.stream().filter(allowed::contains).toList());
      fields
          .get(key)
          .ifPresent(
              at ->
                  problems.error(
                      at, word + " steps have no '" + key + "'", key + " on " + kindsAllowed));
    }
  }

  private Optional<String> id(MappingFieldReader fields) {
    if (fields.get("id").isEmpty()) {
      fields.missing("id", "id: a name that no other step has");
      return Optional.empty();
    }
    Optional<String> id = fields.text("id", 1_000);
    if (id.isEmpty()) {
      return id;
    }
    DefinitionCursor place = fields.get("id").orElseThrow().inStep(id.get());
    if (!Step.ID.matcher(id.get()).matches()) {
      problems.error(place.inStep(null), "'" + id.get() + "' is not an id", Step.ID.pattern());
      return Optional.empty();
    }
    if (id.get().equals(StepTransition.END)) {
      problems.error(place, "'end' is the end of the steps", "another id");
      return Optional.empty();
    }
    DefinitionCursor first = values.notes().ids().putIfAbsent(id.get(), place);
    if (first != null) {
      int line = first.node().mark().line();
      problems.error(
          place,
          "the id '" + id.get() + "' is already used" + (line > 0 ? " in line " + line : ""),
          "ids that are unique in the whole workflow, branches included");
      return Optional.empty();
    }
    return id;
  }

  /** Returns the step's kind; reports every key that the kind does not have. */
  private Optional<String> kindWord(MappingFieldReader fields) {
    List<String> given =
        KINDS.stream().filter(kind -> fields.members().find(kind) != null).toList();
    List<LocatedNode.Entry> unknown =
        fields.members().entries().stream().filter(entry -> !KEYS.contains(entry.key())).toList();
    if (given.isEmpty() && unknown.size() == 1) {
      fields.unknown(unknown.getFirst(), "unknown step kind", KINDS);
      return Optional.empty();
    }
    String only = given.size() == 1 ? given.getFirst() : "";
    List<String> allowed = new ArrayList<>(COMMON);
    if (only.equals("shell")) {
      allowed.addAll(SHELL);
    }
    unknown.forEach(entry -> fields.unknown(entry, "unknown key", allowed));
    if (given.isEmpty()) {
      problems.error(fields.place(), "the step does nothing", "one of " + String.join(", ", KINDS));
    } else if (given.size() > 1) {
      problems.error(
          fields.place(),
          "the step has several kinds: " + String.join(", ", given),
          "one of " + String.join(", ", KINDS));
    } else if (!only.equals("shell")) {
      for (String key : SHELL) {
        fields
            .get(key)
            .ifPresent(
                at ->
                    problems.error(
                        at, only + " steps have no '" + key + "'", String.join(", ", COMMON)));
      }
    }
    return only.isEmpty() ? Optional.empty() : Optional.of(only);
  }

  /** Decodes {@code next: id}, or a list of {@code {on, when, weight, to}}. */
  private List<StepTransition> arms(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return values
          .text(place, 64)
          .map(
              to -> {
                target(place, to);
                return List.of(new StepTransition(StepTransition.On.SUCCESS, Optional.empty(), to));
              })
          .orElse(List.of());
    }
    if (!(place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))
        || items.isEmpty()
        || items.size() > MAX_ARMS) {
      problems.error(
          place,
          "not a valid 'next'",
          "a step's id, end, or a list of 1 to " + MAX_ARMS + " {on, when, weight, to}");
      return List.of();
    }
    List<Weighed> weighed = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      arm(place.item(i, items.get(i))).ifPresent(weighed::add);
    }
    // A stable sort: the order of the list decides between equal weights, and afterwards only the
    // order matters.
    weighed.sort(Comparator.comparingInt(Weighed::weight).reversed());
    for (int i = 0; i < weighed.size(); i++) {
      checkWhatComesAfter(weighed.get(i), weighed.subList(i + 1, weighed.size()));
    }
    return weighed.stream().map(Weighed::arm).toList();
  }

  /** A transition with its position. */
  private record Weighed(StepTransition arm, int weight, DefinitionCursor place) {}

  private void checkWhatComesAfter(Weighed first, List<Weighed> later) {
    StepTransition.On on = first.arm().on();
    if (first.arm().when().isEmpty()
        && later.stream().anyMatch(it -> on == StepTransition.On.ANY || it.arm().on() == on)) {
      problems.error(
          first.place(),
          "what follows an arm without 'when' is never taken",
          "'when', or the last place");
    }
  }

  private Optional<Weighed> arm(DefinitionCursor place) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(
            place, values, "{on: outcome, when: condition, weight: number, to: step}");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("on", "when", "weight", "to"));
    fields.require("to", "to: a step's id, or end");
    StepTransition.On on = fields.choice("on", OUTCOMES).orElse(StepTransition.On.SUCCESS);
    Optional<Expression> when = fields.expression("when", DefinitionSymbolTable.Moment.AFTER_STEP);
    int weight = fields.integer("weight", -MAX_WEIGHT, MAX_WEIGHT).orElse(0);
    return fields
        .text("to", 64)
        .map(
            to -> {
              fields.get("to").ifPresent(at -> target(at, to));
              return new Weighed(new StepTransition(on, when, to), weight, place);
            });
  }

  /** Decodes {@code gate: step}, or {@code {when: condition, to: step}}. */
  private Optional<StepGate> gate(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return values
          .text(place, 64)
          .map(
              to -> {
                gateTarget(place, to);
                return new StepGate(Optional.empty(), Optional.of(to));
              });
    }
    return MappingFieldReader.of(place, values, "a step's id, or {when: condition, to: step}")
        .map(
            fields -> {
              fields.allowOnly(List.of("when", "to"));
              Optional<String> to = fields.text("to", 64);
              to.ifPresent(id -> fields.get("to").ifPresent(at -> gateTarget(at, id)));
              return new StepGate(
                  fields.expression("when", DefinitionSymbolTable.Moment.AT_END_OF_LIST), to);
            });
  }

  private void gateTarget(DefinitionCursor place, String to) {
    if (to.equals(StepTransition.END)) {
      problems.error(
          place,
          "a gate is evaluated at the end of the list, so it cannot lead there",
          "a step's id");
    } else {
      target(place, to);
    }
  }

  private void target(DefinitionCursor place, String to) {
    values.notes().targets().add(new DefinitionSymbolTable.Target(place, to));
  }
}
