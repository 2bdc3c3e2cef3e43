/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Filters that catch errors, backtrack, and collect results. */
final class JqControlFilter {
  private JqControlFilter() {}

  static final class Try extends JqFilter {
    private final JqFilter body;
    private final @Nullable JqFilter handler;

    Try(JqFilter body, @Nullable JqFilter handler) {
      super(false, body);
      this.body = body;
      this.handler = handler;
    }

    @Override
    void run(JqEvaluator m) {
      boolean tracking = m.path != null;
      JqErrorHandler mark = new JqErrorHandler(m, error -> caught(m, error, tracking));
      JqContinuation leave = leave(m);
      m.handlers = mark;
      m.goTo(body, m.env, m.in, m.path, leave);
    }

    private void caught(JqEvaluator m, JsonNode error, boolean tracking) {
      if (handler == null) {
        m.backtrack();
      } else {
        m.goTo(handler, m.env, error, tracking ? JqPath.NONE : null, m.next);
      }
    }
  }

  /** Returns a continuation that leaves the handler that is about to be entered. */
  private static JqContinuation leave(JqEvaluator m) {
    JqErrorHandler outer = m.handlers;
    JqContinuation next = m.next;
    return JqContinuation.of(
        next,
        () -> {
          m.handlers = outer;
          m.next = next;
        },
        outer);
  }

  /** The first of several filters that does not fail. */
  static final class FirstWithoutError extends JqFilter {
    private final List<JqFilter> choices;

    FirstWithoutError(List<JqFilter> choices) {
      super(false);
      this.choices = List.copyOf(choices);
    }

    @Override
    void run(JqEvaluator m) {
      attempt(m, 0, m.env, m.in, m.path);
    }

    private void attempt(
        JqEvaluator m, int index, @Nullable JqEnvironment env, JsonNode in, @Nullable JqPath path) {
      JqContinuation after = m.next;
      if (index + 1 < choices.size()) {
        m.env = env;
        JqErrorHandler mark =
            new JqErrorHandler(m, _ -> attempt(m, index + 1, m.env, in, path), in, path);
        after = leave(m);
        m.handlers = mark;
      }
      m.goTo(choices.get(index), env, in, path, after);
    }
  }

  static final class MarkLabel extends JqFilter {
    private final JqFilter body;

    MarkLabel(JqFilter body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(JqEvaluator m) {
      m.goTo(
          body,
          new JqEnvironment(m.env, new JqEnvironment.Label(m.height())),
          m.in,
          m.path,
          m.next);
    }
  }

  static final class Break extends JqFilter {
    private final int distance;

    Break(int distance) {
      super(false);
      this.distance = distance;
    }

    @Override
    void run(JqEvaluator m) {
      m.cut(((JqEnvironment.Label) JqEnvironment.get(m.env, distance)).height());
      m.backtrack();
    }
  }

  /** {@code a // b}. */
  static final class Alternative extends JqFilter {
    private final JqFilter left;
    private final JqFilter right;

    Alternative(JqFilter left, JqFilter right) {
      super(false, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(JqEvaluator m) {
      boolean[] found = {false};
      JqFrame frame = JqFrame.of(m);
      m.push(
          frame.otherwise(
              () -> {
                if (found[0]) {
                  m.backtrack();
                } else {
                  frame.start(m, right);
                }
              }));
      JqErrorHandler outer = m.handlers;
      JqErrorHandler swallow = new JqErrorHandler(m, _ -> m.backtrack());
      JqContinuation next = m.next;
      JqContinuation only =
          JqContinuation.of(
              next,
              () -> {
                if (JqTypeSystem.isTrue(m.in)) {
                  found[0] = true;
                  m.handlers = outer;
                  m.next = next;
                } else {
                  m.backtrack();
                }
              },
              outer);
      m.handlers = swallow;
      m.goTo(left, m.env, m.in, m.path, only);
    }
  }

  /** {@code path(f)}. */
  static final class Paths extends JqFilter {
    private final JqFilter body;

    Paths(JqFilter body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(JqEvaluator m) {
      boolean tracking = m.path != null;
      JqContinuation next = m.next;
      JqContinuation toArray = JqContinuation.of(next, () -> toArray(m, tracking, next));
      m.goTo(body, m.env, m.in, JqPath.ROOT, toArray);
    }

    private static void toArray(JqEvaluator m, boolean tracking, @Nullable JqContinuation next) {
      JqPath found = m.path;
      if (found == null || found == JqPath.NONE) {
        throw new JqException(
            "Invalid path expression with result "
                + JqJsonWriter.shortened(m.in, JqAccessFilter.SHOWN));
      }
      ArrayNode keys = found.toArray();
      m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * keys.size());
      m.next = next;
      m.give(keys, tracking ? JqPath.NONE : null);
    }
  }

  /** {@code [f]}. */
  static final class Collect extends JqFilter {
    private final JqFilter body;

    Collect(JqFilter body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(JqEvaluator m) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      boolean tracking = m.path != null;
      JqContinuation next = m.next;
      m.push(
          JqChoicePoint.of(
              () -> {
                m.next = next;
                m.give(all, tracking ? JqPath.NONE : null);
              },
              all,
              next));
      JqContinuation add =
          JqContinuation.of(
              null,
              () -> {
                m.charge(JqMemoryEstimator.ELEMENT);
                all.add(m.in);
                m.backtrack();
              },
              all);
      m.goTo(body, m.env, m.in, null, add);
    }
  }
}
