/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts the consecutive deaths of a run's runners in the same step visit. Parallel branches are at
 * different steps at each death, so the place is the set of steps that all deaths have in common.
 *
 * @param count number of consecutive deaths
 * @param steps the paths of the steps that were in progress at each of them; empty when none is
 *     known, since a light step may end before it is announced
 */
record RunnerDeathStreak(int count, SortedSet<String> steps) {
  static final RunnerDeathStreak NONE = new RunnerDeathStreak(0, new TreeSet<>());

  private static final TypeReference<TreeSet<String>> STEPS = new TypeReference<>() {};

  RunnerDeathStreak {
    steps = new TreeSet<>(steps);
  }

  /**
   * Reads the columns of a run's row.
   *
   * @param steps a JSON list; null for none
   */
  static RunnerDeathStreak of(int count, @Nullable String steps) {
    return new RunnerDeathStreak(count, steps(steps));
  }

  static SortedSet<String> steps(@Nullable String json) {
    try {
      return json == null ? new TreeSet<>() : Json.mapper().readValue(json, STEPS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a column holds broken JSON: " + json, e);
    }
  }

  /**
   * Adds a death. Starts a new streak when none of its steps was in progress before.
   *
   * @param active the steps in progress when the runner died
   */
  RunnerDeathStreak next(SortedSet<String> active) {
    if (count == 0 || steps.isEmpty() || active.isEmpty()) {
      return new RunnerDeathStreak(count + 1, steps.isEmpty() ? active : steps);
    }
    SortedSet<String> common = new TreeSet<>(steps);
    common.retainAll(active);
    return common.isEmpty()
        ? new RunnerDeathStreak(1, active)
        : new RunnerDeathStreak(count + 1, common);
  }

  /** The steps as stored in the column. */
  String stepsJson() {
    return new String(Json.bytes(steps), StandardCharsets.UTF_8);
  }

  /** Describes the number of deaths and their place for a person. */
  String describe() {
    String times = count == 1 ? "a runner has died" : count + " runners have died in a row";
    return switch (steps.size()) {
      case 0 -> times + " without progress";
      case 1 -> times + " in step '" + steps.first() + "' without progress";
      default -> times + " in one of the steps " + String.join(", ", steps) + " without progress";
    };
  }
}
