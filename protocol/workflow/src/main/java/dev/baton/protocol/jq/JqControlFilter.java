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
      JqErrorHandler mark = new Caught(m, handler);
      JqContinuation leave = new Leave(m);
      m.handlers = mark;
      m.goTo(body, m.env, m.in, m.path, leave);
    }

    private static final class Caught extends JqErrorHandler {
      private final @Nullable JqFilter node;
      private final boolean tracking;

      Caught(JqEvaluator m, @Nullable JqFilter node) {
        super(m);
        this.node = node;
        this.tracking = m.path != null;
      }

      @Override
      void handle(JqEvaluator m, JsonNode error) {
        if (node == null) {
          m.backtrack();
        } else {
          m.goTo(node, env, error, tracking ? JqPath.NONE : null, next);
        }
      }
    }
  }

  /** Restores the error handlers around a {@code try}. */
  private static final class Leave extends JqContinuation {
    private final @Nullable JqErrorHandler outer;

    Leave(JqEvaluator m) {
      super(m.next);
      this.outer = m.handlers;
    }

    @Override
    void accept(JqEvaluator m) {
      m.handlers = outer;
      m.next = next;
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(outer);
    }
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
        JqErrorHandler mark = new Retry(m, this, index + 1, in, path);
        after = new Leave(m);
        m.handlers = mark;
      }
      m.goTo(choices.get(index), env, in, path, after);
    }

    private static final class Retry extends JqErrorHandler {
      private final FirstWithoutError all;
      private final int index;
      private final JsonNode in;
      private final @Nullable JqPath path;

      Retry(JqEvaluator m, FirstWithoutError all, int index, JsonNode in, @Nullable JqPath path) {
        super(m);
        this.all = all;
        this.index = index;
        this.in = in;
        this.path = path;
      }

      @Override
      void handle(JqEvaluator m, JsonNode error) {
        all.attempt(m, index, env, in, path);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(in);
        live.add(path);
      }
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
      Found found = new Found();
      m.push(new Otherwise(m, right, found));
      JqErrorHandler mark = new Swallow(m);
      JqContinuation leave = new Only(m, found);
      m.handlers = mark;
      m.goTo(left, m.env, m.in, m.path, leave);
    }

    private static final class Found {
      boolean any;
    }

    private static final class Otherwise extends JqChoicePoint {
      private final JqFlowFilter.Other other;
      private final Found found;

      Otherwise(JqEvaluator m, JqFilter right, Found found) {
        this.other = new JqFlowFilter.Other(m, right);
        this.found = found;
      }

      @Override
      void resume(JqEvaluator m) {
        if (found.any) {
          m.backtrack();
        } else {
          other.resume(m);
        }
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(other);
      }
    }

    private static final class Swallow extends JqErrorHandler {
      Swallow(JqEvaluator m) {
        super(m);
      }

      @Override
      void handle(JqEvaluator m, JsonNode error) {
        m.backtrack();
      }
    }

    private static final class Only extends JqContinuation {
      private final @Nullable JqErrorHandler outer;
      private final Found found;

      Only(JqEvaluator m, Found found) {
        super(m.next);
        this.outer = m.handlers;
        this.found = found;
      }

      @Override
      void accept(JqEvaluator m) {
        if (JqTypeSystem.isTrue(m.in)) {
          found.any = true;
          m.handlers = outer;
          m.next = next;
        } else {
          m.backtrack();
        }
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(outer);
      }
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
      m.goTo(body, m.env, m.in, JqPath.ROOT, new ToArray(m));
    }

    private static final class ToArray extends JqContinuation {
      private final boolean tracking;

      ToArray(JqEvaluator m) {
        super(m.next);
        this.tracking = m.path != null;
      }

      @Override
      void accept(JqEvaluator m) {
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
      m.push(new All(m, all));
      m.goTo(body, m.env, m.in, null, new Add(all));
    }

    private static final class Add extends JqContinuation {
      private final ArrayNode all;

      Add(ArrayNode all) {
        super(null);
        this.all = all;
      }

      @Override
      void accept(JqEvaluator m) {
        m.charge(JqMemoryEstimator.ELEMENT);
        all.add(m.in);
        m.backtrack();
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        live.add(all);
      }
    }

    private static final class All extends JqChoicePoint {
      private final ArrayNode all;
      private final boolean tracking;
      private final @Nullable JqContinuation next;

      All(JqEvaluator m, ArrayNode all) {
        this.all = all;
        this.tracking = m.path != null;
        this.next = m.next;
      }

      @Override
      void resume(JqEvaluator m) {
        m.next = next;
        m.give(all, tracking ? JqPath.NONE : null);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(all);
        live.add(next);
      }
    }
  }
}
