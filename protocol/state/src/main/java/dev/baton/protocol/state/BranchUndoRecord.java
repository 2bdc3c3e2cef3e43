/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of an uncommitted branch just before its first step without a cut completed, limited to
 * what has changed since. Immutable.
 *
 * @param touched paths of steps on the branch, or on its inner branches, that had events since.
 *     Those without an entry in the maps did not exist then
 * @param branches its inner branches that were open
 * @param asked approvals requested since
 * @param last the step of the branch that had completed last
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record BranchUndoRecord(
    Set<String> touched,
    Map<String, StepState> steps,
    Map<String, Integer> reroutes,
    Map<String, String> sessions,
    Map<String, JsonNode> plans,
    Map<String, BranchState> branches,
    Set<String> asked,
    Map<String, Integer> milestones,
    BranchState.@Nullable Last last) {
  public BranchUndoRecord {
    touched = frozen(touched);
    steps = frozen(steps);
    reroutes = frozen(reroutes);
    sessions = frozen(sessions);
    plans = frozen(plans);
    branches = frozen(branches);
    asked = frozen(asked);
    milestones = frozen(milestones);
  }

  private static Set<String> frozen(@Nullable Set<String> set) {
    return set == null ? Set.of() : Collections.unmodifiableSet(new LinkedHashSet<>(set));
  }

  private static <V> Map<String, V> frozen(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}
