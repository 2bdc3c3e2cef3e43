/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.baton.agent.loop.session.DomainValues;
import dev.baton.agent.loop.session.LoopSession;
import dev.baton.agent.loop.session.Plan;
import dev.baton.agent.loop.session.Plan.PlanStatus;
import dev.baton.agent.loop.session.Plan.PlanStep;
import dev.baton.agent.loop.session.SessionEvent;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Tools for the plan and the values of a session. */
final class PlanningTools {
  private static final int MAX_TITLE = 500;
  private static final int MAX_NOTE = 2_000;
  private static final int MAX_NAME = 100;
  private static final int MAX_VALUE = 4_000;

  private PlanningTools() {}

  static List<LoopTool> all(LoopSession session) {
    return List.of(setUp(session), addStep(session), updateStep(session), keepValue(session));
  }

  /** What a tool does. */
  @FunctionalInterface
  private interface Action {
    ToolOutput run(ToolArguments arguments) throws ToolFailureException;
  }

  private record SessionTool(ToolSpecification specification, Action action) implements LoopTool {
    @Override
    public boolean readOnly() {
      return false;
    }

    @Override
    public ToolOutput run(ToolArguments arguments) throws ToolFailureException {
      return action.run(arguments);
    }
  }

  private static LoopTool tool(
      String name, String description, JsonObjectSchema input, Action action) {
    return new SessionTool(
        ToolSpecification.builder().name(name).description(description).parameters(input).build(),
        action);
  }

  private static ToolOutput event(String text, SessionEvent event) {
    return new ToolOutput(text, false, List.of(), List.of(event));
  }

  private static LoopTool setUp(LoopSession session) {
    return tool(
        "planning_setup_plan",
        "Sets objective and steps of the work; replaces an older plan. Steps get the numbers 1, 2, 3 …",
        JsonObjectSchema.builder()
            .addStringProperty("objective", "what is to be reached")
            .addProperty(
                "steps",
                JsonArraySchema.builder()
                    .description("titles of the steps in order, 1 to " + Plan.MAX_STEPS)
                    .items(new JsonStringSchema())
                    .build())
            .required("objective", "steps")
            .build(),
        arguments -> {
          List<String> titles = arguments.words("steps", Plan.MAX_STEPS, MAX_TITLE);
          String objective = arguments.word("objective", MAX_NOTE);
          boolean replaced = !session.get(Plan.SLICE).steps().isEmpty();
          return event(
              "%s with %d steps".formatted(replaced ? "plan replaced" : "plan set", titles.size()),
              new Plan.PlanSetUp(objective, titles));
        });
  }

  private static LoopTool addStep(LoopSession session) {
    return tool(
        "add_step",
        "Adds a step to the plan.",
        JsonObjectSchema.builder()
            .addStringProperty("title", "what is to be done")
            .addIntegerProperty(
                "after", "number of the step before it, 0 for the first place; default: the end")
            .required("title")
            .build(),
        arguments -> {
          List<PlanStep> steps = steps(session);
          if (steps.size() >= Plan.MAX_STEPS) {
            throw new ToolFailureException(
                "The plan has %d steps, the most that are allowed.".formatted(steps.size()));
          }
          int after = arguments.number("after", steps.getLast().id(), 0, Integer.MAX_VALUE);
          if (after != 0) {
            find(steps, after);
          }
          int id = steps.stream().mapToInt(PlanStep::id).max().orElse(0) + 1;
          return event(
              "step %d added".formatted(id),
              new Plan.StepAdded(arguments.word("title", MAX_TITLE), after));
        });
  }

  private static LoopTool updateStep(LoopSession session) {
    List<String> words = Stream.of(PlanStatus.values()).map(PlanStatus::word).toList();
    return tool(
        "update_step",
        "Changes a step of the plan: its status, and a note on what was found or decided.",
        JsonObjectSchema.builder()
            .addIntegerProperty("step", "number of the step")
            .addEnumProperty("status", words)
            .addStringProperty("title", "another title")
            .addStringProperty("note", "what a later reader needs of it")
            .required("step", "status")
            .build(),
        arguments -> {
          List<PlanStep> steps = steps(session);
          PlanStep step = find(steps, arguments.number("step", 0, 1, Integer.MAX_VALUE));
          String status = arguments.word("status", MAX_NAME).toLowerCase(Locale.ROOT);
          PlanStatus next =
              Stream.of(PlanStatus.values())
                  .filter(known -> known.word().equals(status))
                  .findFirst()
                  .orElseThrow(
                      () ->
                          new ToolFailureException(
                              "'status' is '%s'; one of %s is allowed."
                                  .formatted(status, String.join(", ", words))));
          PlanStep changed =
              new PlanStep(
                  step.id(),
                  arguments.text("title", step.title(), MAX_TITLE),
                  next,
                  arguments.text("note", step.note(), MAX_NOTE));
          return event(
              "step %d is %s".formatted(step.id(), next.word()), new Plan.StepUpdated(changed));
        });
  }

  private static List<PlanStep> steps(LoopSession session) throws ToolFailureException {
    List<PlanStep> steps = session.get(Plan.SLICE).steps();
    if (steps.isEmpty()) {
      throw new ToolFailureException(
          "The session has no plan yet; call planning_setup_plan first.");
    }
    return steps;
  }

  private static PlanStep find(List<PlanStep> steps, int id) throws ToolFailureException {
    return steps.stream()
        .filter(step -> step.id() == id)
        .findFirst()
        .orElseThrow(
            () ->
                new ToolFailureException(
                    "The plan has no step %d; it has the steps %s."
                        .formatted(id, steps.stream().map(PlanStep::id).toList())));
  }

  private static LoopTool keepValue(LoopSession session) {
    return tool(
        "session_keep_value",
        "Keeps a short finding or decision by its name in the session; an empty value removes it.",
        JsonObjectSchema.builder()
            .addStringProperty("name", "at most " + MAX_NAME + " characters")
            .addStringProperty("value", "at most " + MAX_VALUE + " characters")
            .required("name", "value")
            .build(),
        arguments -> {
          String name = arguments.word("name", MAX_NAME);
          String value = arguments.text("value", MAX_VALUE);
          DomainValues known = session.get(DomainValues.SLICE);
          if (!known.values().containsKey(name)
              && known.values().size() >= DomainValues.MAX_VALUES) {
            throw new ToolFailureException(
                "The session has %d values, the most that are allowed; remove one."
                    .formatted(known.values().size()));
          }
          return event(
              value.isEmpty() ? "removed " + name : "kept " + name,
              new DomainValues.ValueKept(name, value));
        });
  }
}
