/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A list of steps that is walked from the first: the workflow itself, or a branch of a parallel.
 * Immutable.
 */
public final class Flow {
  private final List<Step> steps;
  private final Map<String, Integer> index;

  /**
   * @param steps at least one, with different ids
   */
  public Flow(List<Step> steps) {
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

  /**
   * What follows a step that completed or was skipped; empty at the end.
   *
   * @param scope with the step's output
   * @throws dev.baton.protocol.expression.ExpressionException when a condition fails
   * @throws IllegalArgumentException when the step is not of this flow
   */
  public Optional<Step> after(Step step, Scope scope) {
    for (Arm arm : step.next()) {
      if (arm.when().isEmpty() || arm.when().get().test(scope)) {
        return arm.to().equals(Arm.END) ? Optional.empty() : find(arm.to());
      }
    }
    return inOrderAfter(step);
  }

  /** Whether a step, or one within it, may touch files. */
  public boolean usesFiles() {
    return steps.stream().anyMatch(Step::usesFiles);
  }

  /** The step after this one in the list. */
  Optional<Step> inOrderAfter(Step step) {
    Integer at = index.get(step.id());
    if (at == null) {
      throw new IllegalArgumentException("no step '" + step.id() + "' here");
    }
    return at + 1 < steps.size() ? Optional.of(steps.get(at + 1)) : Optional.empty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Flow that && that.steps.equals(steps);
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
