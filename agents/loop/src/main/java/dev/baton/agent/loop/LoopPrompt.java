/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.loop.session.DomainValues;
import dev.baton.agent.loop.session.LoopSession;
import dev.baton.agent.loop.session.Plan;
import dev.baton.agent.loop.session.Plan.PlanStatus;
import dev.baton.agent.loop.session.Plan.PlanStep;
import java.util.List;

/**
 * Renders the system prompt from the session alone: there is one template for a new session and a
 * resumed one.
 */
final class LoopPrompt {
  private static final String WORK =
      """
      You are a coding agent. You work in a workspace, the current folder of all commands, with the \
      tools that you are given; paths are relative to it. No person answers while you work: decide \
      by yourself, and name what you assumed in your final text.

      - Look before you change: read the files in question, search for other uses.
      - Change as little as the task needs, and keep the style that is there.
      - Check the result: run the tests or the program, and read what they print.
      - A failed call returns its reason. Do not repeat it unchanged.
      - An answer without a call of a tool ends the work. Its text is your result: what you changed, \
      how you checked it, and what is left.

      # Plan

      Work that takes more than two or three calls needs a plan:

      1. Begin with planning_setup_plan: the objective, and steps that can be checked one by one.
      2. Choose steps so that each is real progress, is either done or not, and leaves in the files, \
      or in its note, all that the next one needs.
      3. Set a step to in_progress when you begin with it, and to done when its result is checked, \
      before you begin with the next one; in the note, write what a later reader needs.
      4. When the work turns out otherwise, add steps with add_step, or set one to blocked.

      The plan is how an interrupted work continues: what is not in the plan, in notes or in files, \
      may be lost.
      """;

  private LoopPrompt() {}

  static String system(LoopSettings settings, LoopSession session) {
    StringBuilder text = new StringBuilder(WORK);
    if (!settings.system().isBlank()) {
      text.append("\n# Rules of this task\n\n").append(settings.system().strip()).append('\n');
    }
    if (!settings.outputSchema().isBlank()) {
      text.append("\n# Result\n\nYour final text must be one JSON value and nothing else; it must")
          .append(" fit this JSON Schema:\n")
          .append(settings.outputSchema())
          .append('\n');
    }
    text.append("\n# Progress\n\n").append(progress(session.get(Plan.SLICE)));
    DomainValues kept = session.get(DomainValues.SLICE);
    if (!kept.values().isEmpty()) {
      text.append("\nKept values:\n");
      kept.values().forEach((name, value) -> text.append("- %s: %s\n".formatted(name, value)));
    }
    return text.toString();
  }

  private static String progress(Plan plan) {
    if (plan.steps().isEmpty()) {
      return "The session has no plan yet.\n";
    }
    StringBuilder text = new StringBuilder("Objective: " + plan.objective() + "\n");
    section(
        text, "Done", plan.steps().stream().filter(s -> s.status() == PlanStatus.DONE).toList());
    section(
        text,
        "Remaining",
        plan.steps().stream().filter(s -> s.status() != PlanStatus.DONE).toList());
    return text.toString();
  }

  private static void section(StringBuilder text, String title, List<PlanStep> steps) {
    if (steps.isEmpty()) {
      return;
    }
    text.append('\n').append(title).append(":\n");
    for (PlanStep step : steps) {
      text.append("- %d. %s".formatted(step.id(), step.title()));
      if (step.status() != PlanStatus.DONE) {
        text.append(" (").append(step.status().word()).append(')');
      }
      text.append(step.note().isEmpty() ? "\n" : ": " + step.note() + "\n");
    }
  }
}
