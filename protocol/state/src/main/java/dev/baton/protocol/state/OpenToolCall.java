/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A tool call of an agent that waits for the decision of a person, in the head of its run.
 *
 * @param step path of the agent step
 * @param call the id of the call in the model's answer
 */
public record OpenToolCall(String step, String call) {

  boolean isOf(String otherStep, @Nullable String otherCall) {
    return step.equals(otherStep) && call.equals(otherCall);
  }

  /** Whether the call is made by this step or by a step below it. */
  boolean isWithin(String path) {
    return step.equals(path) || step.startsWith(path + "/");
  }

  /** Returns the calls with one more. */
  static Map<String, OpenToolCall> with(
      Map<String, OpenToolCall> calls, String approval, OpenToolCall call) {
    TreeMap<String, OpenToolCall> copy = new TreeMap<>(calls);
    copy.put(approval, call);
    return Collections.unmodifiableMap(copy);
  }

  /** Returns the calls without some of them; the same map where there are none of these. */
  static Map<String, OpenToolCall> without(
      Map<String, OpenToolCall> calls, BiPredicate<String, OpenToolCall> closed) {
    if (calls.entrySet().stream().noneMatch(open -> closed.test(open.getKey(), open.getValue()))) {
      return calls;
    }
    TreeMap<String, OpenToolCall> copy = new TreeMap<>(calls);
    copy.entrySet().removeIf(open -> closed.test(open.getKey(), open.getValue()));
    return Collections.unmodifiableMap(copy);
  }
}
