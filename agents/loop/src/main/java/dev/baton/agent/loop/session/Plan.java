/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The plan of a session. Immutable.
 *
 * @param objective empty without a plan
 */
public record Plan(String objective, List<PlanStep> steps) {
  /** The most steps of a plan. */
  public static final int MAX_STEPS = 100;

  public static final Plan NONE = new Plan("", List.of());

  /** The slice of the plan. */
  public static final SessionSlice<Plan> SLICE =
      new SessionSlice<>("plan", 1, Plan.class, NONE, Plan::after, Map.of());

  public Plan {
    steps = List.copyOf(steps);
  }

  /**
   * A step.
   *
   * @param id from 1, unique in the plan
   * @param note what was found or decided; may be empty
   */
  public record PlanStep(int id, String title, PlanStatus status, String note) {}

  /** The state of a step. */
  public enum PlanStatus {
    @JsonProperty("pending")
    PENDING("pending"),
    @JsonProperty("in_progress")
    IN_PROGRESS("in_progress"),
    @JsonProperty("blocked")
    BLOCKED("blocked"),
    @JsonProperty("done")
    DONE("done");

    private final String word;

    PlanStatus(String word) {
      this.word = word;
    }

    /** The word that models use. */
    public String word() {
      return word;
    }
  }

  /** A new plan replaces the one before. */
  public record PlanSetUp(String objective, List<String> titles) implements SessionEvent {
    public PlanSetUp {
      titles = List.copyOf(titles);
    }
  }

  /**
   * A step is added.
   *
   * @param after id of the step before it; 0 for the first place
   */
  public record StepAdded(String title, int after) implements SessionEvent {}

  /** A step has other values. */
  public record StepUpdated(PlanStep step) implements SessionEvent {}

  private Plan after(SessionEvent event) {
    return switch (event) {
      case PlanSetUp(String goal, List<String> titles) -> {
        List<PlanStep> all = new ArrayList<>();
        titles.forEach(
            title -> all.add(new PlanStep(all.size() + 1, title, PlanStatus.PENDING, "")));
        yield new Plan(goal, all);
      }
      case StepAdded(String title, int place) -> {
        List<PlanStep> all = new ArrayList<>(steps);
        int index = 0;
        while (index < all.size() && place != 0 && all.get(index).id() != place) {
          index++;
        }
        all.add(
            place == 0 ? 0 : Math.min(index + 1, all.size()),
            new PlanStep(nextId(), title, PlanStatus.PENDING, ""));
        yield new Plan(objective, all);
      }
      case StepUpdated(PlanStep changed) ->
          new Plan(
              objective,
              steps.stream().map(step -> step.id() == changed.id() ? changed : step).toList());
      default -> this;
    };
  }

  private int nextId() {
    return steps.stream().mapToInt(PlanStep::id).max().orElse(0) + 1;
  }
}
