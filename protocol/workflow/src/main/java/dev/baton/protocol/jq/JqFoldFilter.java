/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** {@code reduce} and {@code foreach}. */
final class JqFoldFilter {
  private JqFoldFilter() {}

  /** The accumulated value. One for each initial value. */
  private static final class State implements JqTraceable {
    JsonNode value;
    @Nullable JqPath path;

    State(JqEvaluator m) {
      this.value = m.in;
      this.path = m.path;
    }

    /** Takes the machine's value. */
    void take(JqEvaluator m) {
      value = m.in;
      path = m.path;
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      live.addAll(value, path);
    }
  }

  static final class Reduce extends JqFilter {
    private final JqFilter source;
    private final JqFilter initial;

    /** Its scope has one more binding, the item. */
    private final JqFilter update;

    Reduce(JqFilter source, JqFilter initial, JqFilter update) {
      super(false, source, initial, update);
      this.source = source;
      this.initial = initial;
      this.update = update;
    }

    @Override
    void run(JqEvaluator m) {
      JqFrame frame = JqFrame.of(m);
      m.goTo(initial, m.env, m.in, m.path, frame.then(() -> fold(m, frame)));
    }

    private void fold(JqEvaluator m, JqFrame frame) {
      State state = new State(m);
      JqEnvironment env = frame.env();
      JqContinuation next = frame.next();
      m.push(
          JqChoicePoint.of(
              () -> {
                m.next = next;
                m.give(state.value, state.path);
              },
              state,
              next));
      JqContinuation item = JqContinuation.of(null, () -> item(m, state, env), state, env);
      m.goTo(source, env, frame.in(), null, item);
    }

    private void item(JqEvaluator m, State state, @Nullable JqEnvironment env) {
      JqEnvironment inner = new JqEnvironment(env, m.in);
      if (update.simple && state.path == null) {
        state.value = update.one(m, inner, state.value);
        m.backtrack();
        return;
      }
      // The value is held by the update only, so that what it discards can be freed.
      JsonNode before = state.value;
      JqPath way = state.path;
      state.value = JqEvaluator.NULL;
      state.path = way == null ? null : JqPath.NONE;
      JqContinuation keep =
          JqContinuation.of(
              null,
              () -> {
                state.take(m);
                m.backtrack();
              },
              state);
      m.goTo(update, inner, before, way, keep);
    }
  }

  static final class Foreach extends JqFilter {
    private final JqFilter source;
    private final JqFilter initial;
    private final JqFilter update;
    private final JqFilter extract;

    Foreach(JqFilter source, JqFilter initial, JqFilter update, JqFilter extract) {
      super(false, source, initial, update, extract);
      this.source = source;
      this.initial = initial;
      this.update = update;
      this.extract = extract;
    }

    @Override
    void run(JqEvaluator m) {
      JqFrame frame = JqFrame.of(m);
      m.goTo(initial, m.env, m.in, m.path, frame.then(() -> fold(m, frame)));
    }

    private void fold(JqEvaluator m, JqFrame frame) {
      State state = new State(m);
      JqEnvironment env = frame.env();
      JqContinuation next = frame.next();
      JqContinuation item = JqContinuation.of(next, () -> item(m, state, env, next), state, env);
      m.goTo(source, env, frame.in(), null, item);
    }

    private void item(
        JqEvaluator m, State state, @Nullable JqEnvironment env, @Nullable JqContinuation next) {
      JqEnvironment inner = new JqEnvironment(env, m.in);
      JqContinuation step =
          JqContinuation.of(
              next,
              () -> {
                state.take(m);
                m.goTo(extract, inner, m.in, m.path, next);
              },
              state,
              inner);
      m.goTo(update, inner, state.value, state.path, step);
    }
  }

  /** {@code range($from; $upto; $by)}. */
  static final class Range extends JqFilter {
    private final JqFilter bounds;

    /**
     * @param bounds yields arrays of three numbers
     */
    Range(JqFilter bounds) {
      super(false, bounds);
      this.bounds = bounds;
    }

    @Override
    void run(JqEvaluator m) {
      boolean tracking = m.path != null;
      JqContinuation next = m.next;
      JqContinuation count = JqContinuation.of(next, () -> count(m, tracking, next));
      m.goTo(bounds, m.env, m.in, null, count);
    }

    private static void count(JqEvaluator m, boolean tracking, @Nullable JqContinuation next) {
      for (JsonNode bound : m.in) {
        if (!bound.isNumber()) {
          throw new JqException("Range bounds must be numeric");
        }
      }
      double by = m.in.get(2).doubleValue();
      if (by == 0) {
        m.backtrack();
        return;
      }
      double value = m.in.get(0).doubleValue();
      step(m, tracking, next, value, m.in.get(1).doubleValue(), by);
    }

    private static void step(
        JqEvaluator m,
        boolean tracking,
        @Nullable JqContinuation next,
        double value,
        double end,
        double by) {
      if (!(by > 0 ? value < end : value > end)) {
        m.backtrack();
        return;
      }
      m.push(JqChoicePoint.of(() -> step(m, tracking, next, value + by, end, by), next));
      m.next = next;
      m.give(JqArithmetic.of(value), tracking ? JqPath.NONE : null);
    }
  }
}
