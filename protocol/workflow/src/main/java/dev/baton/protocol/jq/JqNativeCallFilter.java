/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
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
    Values start = new Values(m, this);
    start.proceed(m, new JsonNode[arguments.size()], 0);
  }

  private int place(int turn) {
    return lastIsOuter ? arguments.size() - 1 - turn : turn;
  }

  private static final class Values extends JqFlowFilter.Resumable {
    private final JqNativeCallFilter call;

    Values(JqEvaluator m, JqNativeCallFilter call) {
      super(m);
      this.call = call;
    }

    void proceed(JqEvaluator m, @Nullable JsonNode[] known, int turn) {
      int at = turn;
      while (at < call.arguments.size()) {
        JqFilter argument = call.arguments.get(call.place(at));
        if (!argument.simple) {
          m.goTo(argument, env, in, null, new Argument(this, known, at));
          return;
        }
        known[call.place(at)] = argument.one(m, env, in);
        at++;
      }
      JsonNode[] all = new JsonNode[known.length];
      for (int i = 0; i < all.length; i++) {
        JsonNode value = known[i];
        all[i] = value == null ? JqEvaluator.NULL : value;
      }
      JsonNode result = call.function.apply(m, in, all);
      m.next = next;
      m.give(result, path == null ? null : JqPath.NONE);
    }

    @Override
    void accept(JqEvaluator m) {
      throw new IllegalStateException("cannot be continued");
    }
  }

  private static final class Argument extends JqContinuation {
    private final Values call;
    private final @Nullable JsonNode[] known;
    private final int turn;

    Argument(Values call, @Nullable JsonNode[] known, int turn) {
      super(null);
      this.call = call;
      this.known = known;
      this.turn = turn;
    }

    @Override
    void accept(JqEvaluator m) {
      @Nullable JsonNode[] more = known.clone();
      more[call.call.place(turn)] = m.in;
      call.proceed(m, more, turn + 1);
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      live.add(call);
      for (JsonNode value : known) {
        live.add(value);
      }
    }
  }
}
