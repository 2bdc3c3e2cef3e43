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

    State(JsonNode value, @Nullable JqPath path) {
      this.value = value;
      this.path = path;
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      live.add(value);
      live.add(path);
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
      m.goTo(initial, m.env, m.in, m.path, new Start(m, this));
    }

    private static final class Start extends JqFlowFilter.Resumable {
      private final Reduce fold;

      Start(JqEvaluator m, Reduce fold) {
        super(m);
        this.fold = fold;
      }

      @Override
      void accept(JqEvaluator m) {
        State state = new State(m.in, m.path);
        m.push(new Finish(state, next));
        m.goTo(fold.source, env, in, null, new Item(fold, state, env));
      }
    }

    private static final class Finish extends JqChoicePoint {
      private final State state;
      private final @Nullable JqContinuation next;

      Finish(State state, @Nullable JqContinuation next) {
        this.state = state;
        this.next = next;
      }

      @Override
      void resume(JqEvaluator m) {
        m.next = next;
        m.give(state.value, state.path);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(state);
        live.add(next);
      }
    }

    private static final class Item extends JqContinuation {
      private final Reduce fold;
      private final State state;
      private final @Nullable JqEnvironment env;

      Item(Reduce fold, State state, @Nullable JqEnvironment env) {
        super(null);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(JqEvaluator m) {
        JqEnvironment inner = new JqEnvironment(env, m.in);
        if (fold.update.simple && state.path == null) {
          state.value = fold.update.one(m, inner, state.value);
          m.backtrack();
          return;
        }
        JsonNode before = state.value;
        JqPath way = state.path;
        state.value = JqEvaluator.NULL;
        state.path = way == null ? null : JqPath.NONE;
        m.goTo(fold.update, inner, before, way, new Keep(state));
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        live.add(state);
        live.add(env);
      }
    }

    private static final class Keep extends JqContinuation {
      private final State state;

      Keep(State state) {
        super(null);
        this.state = state;
      }

      @Override
      void accept(JqEvaluator m) {
        state.value = m.in;
        state.path = m.path;
        m.backtrack();
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        live.add(state);
      }
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
      m.goTo(initial, m.env, m.in, m.path, new Start(m, this));
    }

    private static final class Start extends JqFlowFilter.Resumable {
      private final Foreach fold;

      Start(JqEvaluator m, Foreach fold) {
        super(m);
        this.fold = fold;
      }

      @Override
      void accept(JqEvaluator m) {
        State state = new State(m.in, m.path);
        m.goTo(fold.source, env, in, null, new Item(fold, state, env, next));
      }
    }

    private static final class Item extends JqContinuation {
      private final Foreach fold;
      private final State state;
      private final @Nullable JqEnvironment env;

      Item(Foreach fold, State state, @Nullable JqEnvironment env, @Nullable JqContinuation next) {
        super(next);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(JqEvaluator m) {
        JqEnvironment inner = new JqEnvironment(env, m.in);
        m.goTo(fold.update, inner, state.value, state.path, new Step(fold, state, inner, next));
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(state);
        live.add(env);
      }
    }

    private static final class Step extends JqContinuation {
      private final Foreach fold;
      private final State state;
      private final @Nullable JqEnvironment env;

      Step(Foreach fold, State state, @Nullable JqEnvironment env, @Nullable JqContinuation next) {
        super(next);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(JqEvaluator m) {
        state.value = m.in;
        state.path = m.path;
        m.goTo(fold.extract, env, m.in, m.path, next);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(state);
        live.add(env);
      }
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
      m.goTo(bounds, m.env, m.in, null, new Count(m));
    }

    private static final class Count extends JqContinuation {
      private final boolean tracking;

      Count(JqEvaluator m) {
        super(m.next);
        this.tracking = m.path != null;
      }

      @Override
      void accept(JqEvaluator m) {
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
        step(m, m.in.get(0).doubleValue(), m.in.get(1).doubleValue(), by);
      }

      void step(JqEvaluator m, double value, double end, double by) {
        if (!(by > 0 ? value < end : value > end)) {
          m.backtrack();
          return;
        }
        m.push(new More(this, value + by, end, by));
        m.next = next;
        m.give(JqArithmetic.of(value), tracking ? JqPath.NONE : null);
      }
    }

    private static final class More extends JqChoicePoint {
      private final Count count;
      private final double value;
      private final double end;
      private final double by;

      More(Count count, double value, double end, double by) {
        this.count = count;
        this.value = value;
        this.end = end;
        this.by = by;
      }

      @Override
      void resume(JqEvaluator m) {
        count.step(m, value, end, by);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(count);
      }
    }
  }
}
