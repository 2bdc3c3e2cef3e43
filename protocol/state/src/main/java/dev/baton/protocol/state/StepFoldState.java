/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The data of each step in a fold, by the step's path. Mutable and not thread-safe. */
record StepFoldState(
    Map<String, StepState> steps,
    Map<String, Integer> reroutes,
    Map<String, String> sessions,
    Map<String, JsonNode> plans,
    Map<String, Integer> milestones) {

  static StepFoldState copyOf(
      Map<String, StepState> steps,
      Map<String, Integer> reroutes,
      Map<String, String> sessions,
      Map<String, JsonNode> plans,
      Map<String, Integer> milestones) {
    return new StepFoldState(
        new LinkedHashMap<>(steps),
        new LinkedHashMap<>(reroutes),
        new LinkedHashMap<>(sessions),
        new LinkedHashMap<>(plans),
        new LinkedHashMap<>(milestones));
  }

  /**
   * Copies the data of one step to another instance; removes it there where it does not exist here.
   */
  void copy(String path, StepFoldState to) {
    copy(path, steps, to.steps);
    copy(path, reroutes, to.reroutes);
    copy(path, sessions, to.sessions);
    copy(path, plans, to.plans);
    copy(path, milestones, to.milestones);
  }

  /** Replaces all data with that of another instance. */
  void become(StepFoldState other) {
    become(steps, other.steps);
    become(reroutes, other.reroutes);
    become(sessions, other.sessions);
    become(plans, other.plans);
    become(milestones, other.milestones);
  }

  private static <V> void become(Map<String, V> map, Map<String, V> other) {
    map.clear();
    map.putAll(other);
  }

  private static <V> void copy(String path, Map<String, V> from, Map<String, V> to) {
    V value = from.get(path);
    if (value == null) {
      to.remove(path);
    } else {
      to.put(path, value);
    }
  }
}
