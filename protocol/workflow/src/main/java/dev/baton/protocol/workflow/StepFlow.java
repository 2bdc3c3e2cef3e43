/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.ExpressionScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A list of steps that runs from the first: the workflow itself, or a branch of a parallel step.
 * Immutable.
 */
public final class StepFlow {
  private final List<Step> steps;
  private final Map<String, Integer> index;

  /**
   * @param steps at least one, with different ids
   */
  public StepFlow(List<Step> steps) {
    this.steps = List.copyOf(steps);
    this.index = HashMap.newHashMap(steps.size());
    for (int i = 0; i < steps.size(); i++) {
      index.put(steps.get(i).id(), i);
    }
  }

  public List<Step> steps() {
    return steps;
  }

  public Step first() {
    return steps.getFirst();
  }

  public Optional<Step> find(String id) {
    return Optional.ofNullable(index.get(id)).map(steps::get);
  }

  /** The successor of an ended step: another step, or the end of the list. */
  public record Way(Optional<Step> to) {
    /** The end of the list. */
    public static final Way END = new Way(Optional.empty());
  }

  /**
   * Returns the successor of an ended step. Empty where it failed and has no transition for that:
   * then the list has failed.
   *
   * <p>It is the target of the first transition that matches the outcome and whose condition is
   * true; if there is none, the next step of the list after a success. A failed step with a gate
   * leads to the end, where its gate is evaluated.
   *
   * @param scope with the step's output and outcome
   * @throws dev.baton.protocol.expression.ExpressionException when a condition fails
   * @throws IllegalArgumentException when the step is not of this flow
   */
  public Optional<Way> after(Step step, StepOutcome outcome, ExpressionScope scope) {
    for (StepTransition arm : step.next()) {
      if (arm.on().includes(outcome) && (arm.when().isEmpty() || arm.when().get().test(scope))) {
        return Optional.of(arm.to().equals(StepTransition.END) ? Way.END : new Way(find(arm.to())));
      }
    }
    if (outcome != StepOutcome.FAILURE) {
      return Optional.of(new Way(inOrderAfter(step)));
    }
    return step.gate().map(gate -> Way.END);
  }

  /** Whether a step, or one within it, runs programs. */
  boolean runsPrograms() {
    return steps.stream().anyMatch(Step::runsPrograms);
  }

  /** Whether a step, or one within it, may change files. */
  public boolean usesFiles() {
    return steps.stream().anyMatch(Step::usesFiles);
  }

  /** Returns the step after this one in the list. */
  Optional<Step> inOrderAfter(Step step) {
    Integer at = index.get(step.id());
    if (at == null) {
      throw new IllegalArgumentException("no step '" + step.id() + "' in this list");
    }
    return at + 1 < steps.size() ? Optional.of(steps.get(at + 1)) : Optional.empty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StepFlow that && that.steps.equals(steps);
  }

  @Override
  public int hashCode() {
    return steps.hashCode();
  }

  @Override
  public String toString() {
    return "Flow" + steps;
  }
}
