/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Applies a Java function to an input and to every combination of its arguments' results. */
final class JqNativeCallFilter extends JqFilter {
  /** A function with one result for its input and arguments. */
  @FunctionalInterface
  interface Function {
    /**
     * @throws JqException in the same cases as jq
     */
    JsonNode apply(JqEvaluator m, JsonNode in, JsonNode[] arguments);
  }

  private static final JsonNode[] NO_ARGUMENTS = {};

  private final Function function;
  private final List<JqFilter> arguments;
  private final boolean lastIsOuter;

  /**
   * @param lastIsOuter whether the last argument varies most slowly, as in jq's built-in functions;
   *     in functions written in jq the first does
   */
  JqNativeCallFilter(Function function, List<JqFilter> arguments, boolean lastIsOuter) {
    super(true, arguments.toArray(JqFilter[]::new));
    this.function = function;
    this.arguments = List.copyOf(arguments);
    this.lastIsOuter = lastIsOuter;
  }

  @Override
  JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
    m.tick();
    int size = arguments.size();
    if (size == 0) {
      return function.apply(m, in, NO_ARGUMENTS);
    }
    JsonNode[] values = new JsonNode[size];
    for (int i = 0; i < size; i++) {
      values[i] = arguments.get(i).one(m, env, in);
    }
    return function.apply(m, in, values);
  }

  @Override
  void run(JqEvaluator m) {
    proceed(m, JqFrame.of(m), new JsonNode[arguments.size()], 0);
  }

  private int place(int turn) {
    return lastIsOuter ? arguments.size() - 1 - turn : turn;
  }

  /** Calls the function when the arguments from {@code turn} on are known, too. */
  private void proceed(JqEvaluator m, JqFrame frame, @Nullable JsonNode[] known, int turn) {
    int at = turn;
    while (at < arguments.size()) {
      JqFilter argument = arguments.get(place(at));
      if (!argument.simple) {
        m.goTo(argument, frame.env(), frame.in(), null, then(m, frame, known, at));
        return;
      }
      known[place(at)] = argument.one(m, frame.env(), frame.in());
      at++;
    }
    JsonNode[] all = new JsonNode[known.length];
    for (int i = 0; i < all.length; i++) {
      JsonNode value = known[i];
      all[i] = value == null ? JqEvaluator.NULL : value;
    }
    JsonNode result = function.apply(m, frame.in(), all);
    m.next = frame.next();
    m.give(result, frame.path() == null ? null : JqPath.NONE);
  }

  private JqContinuation then(JqEvaluator m, JqFrame frame, @Nullable JsonNode[] known, int turn) {
    @Nullable Object[] held = Arrays.copyOf(known, known.length + 1, Object[].class);
    held[known.length] = frame;
    return JqContinuation.of(
        null,
        () -> {
          @Nullable JsonNode[] more = known.clone();
          more[place(turn)] = m.in;
          proceed(m, frame, more, turn + 1);
        },
        held);
  }
}
