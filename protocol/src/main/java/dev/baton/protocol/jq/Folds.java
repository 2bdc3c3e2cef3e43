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
final class Folds {
  private Folds() {}

  /** What has been gathered so far. One for each initial value. */
  private static final class State implements Traced {
    JsonNode value;
    @Nullable Path path;

    State(JsonNode value, @Nullable Path path) {
      this.value = value;
      this.path = path;
    }

    @Override
    public void trace(LiveBytes live) {
      live.add(value);
      live.add(path);
    }
  }

  static final class Reduce extends Node {
    private final Node source;
    private final Node initial;

    /** Sees one binding more, the item. */
    private final Node update;

    Reduce(Node source, Node initial, Node update) {
      super(false, source, initial, update);
      this.source = source;
      this.initial = initial;
      this.update = update;
    }

    @Override
    void run(Machine m) {
      m.goTo(initial, m.env, m.in, m.path, new Start(m, this));
    }

    private static final class Start extends Flow.Resumable {
      private final Reduce fold;

      Start(Machine m, Reduce fold) {
        super(m);
        this.fold = fold;
      }

      @Override
      void accept(Machine m) {
        State state = new State(m.in, m.path);
        m.push(new Finish(state, next));
        m.goTo(fold.source, env, in, null, new Item(fold, state, env));
      }
    }

    private static final class Finish extends Fork {
      private final State state;
      private final @Nullable Cont next;

      Finish(State state, @Nullable Cont next) {
        this.state = state;
        this.next = next;
      }

      @Override
      void resume(Machine m) {
        m.next = next;
        m.give(state.value, state.path);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(state);
        live.add(next);
      }
    }

    private static final class Item extends Cont {
      private final Reduce fold;
      private final State state;
      private final @Nullable Env env;

      Item(Reduce fold, State state, @Nullable Env env) {
        super(null);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(Machine m) {
        Env inner = new Env(env, m.in);
        if (fold.update.simple && state.path == null) {
          state.value = fold.update.one(m, inner, state.value);
          m.backtrack();
          return;
        }
        JsonNode before = state.value;
        Path way = state.path;
        state.value = Machine.NULL;
        state.path = way == null ? null : Path.NONE;
        m.goTo(fold.update, inner, before, way, new Keep(state));
      }

      @Override
      public void trace(LiveBytes live) {
        live.add(state);
        live.add(env);
      }
    }

    private static final class Keep extends Cont {
      private final State state;

      Keep(State state) {
        super(null);
        this.state = state;
      }

      @Override
      void accept(Machine m) {
        state.value = m.in;
        state.path = m.path;
        m.backtrack();
      }

      @Override
      public void trace(LiveBytes live) {
        live.add(state);
      }
    }
  }

  static final class Foreach extends Node {
    private final Node source;
    private final Node initial;
    private final Node update;
    private final Node extract;

    Foreach(Node source, Node initial, Node update, Node extract) {
      super(false, source, initial, update, extract);
      this.source = source;
      this.initial = initial;
      this.update = update;
      this.extract = extract;
    }

    @Override
    void run(Machine m) {
      m.goTo(initial, m.env, m.in, m.path, new Start(m, this));
    }

    private static final class Start extends Flow.Resumable {
      private final Foreach fold;

      Start(Machine m, Foreach fold) {
        super(m);
        this.fold = fold;
      }

      @Override
      void accept(Machine m) {
        State state = new State(m.in, m.path);
        m.goTo(fold.source, env, in, null, new Item(fold, state, env, next));
      }
    }

    private static final class Item extends Cont {
      private final Foreach fold;
      private final State state;
      private final @Nullable Env env;

      Item(Foreach fold, State state, @Nullable Env env, @Nullable Cont next) {
        super(next);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(Machine m) {
        Env inner = new Env(env, m.in);
        m.goTo(fold.update, inner, state.value, state.path, new Step(fold, state, inner, next));
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(state);
        live.add(env);
      }
    }

    private static final class Step extends Cont {
      private final Foreach fold;
      private final State state;
      private final @Nullable Env env;

      Step(Foreach fold, State state, @Nullable Env env, @Nullable Cont next) {
        super(next);
        this.fold = fold;
        this.state = state;
        this.env = env;
      }

      @Override
      void accept(Machine m) {
        state.value = m.in;
        state.path = m.path;
        m.goTo(fold.extract, env, m.in, m.path, next);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(state);
        live.add(env);
      }
    }
  }

  /** {@code range($from; $upto; $by)}. */
  static final class Range extends Node {
    private final Node bounds;

    /**
     * @param bounds gives arrays of three numbers
     */
    Range(Node bounds) {
      super(false, bounds);
      this.bounds = bounds;
    }

    @Override
    void run(Machine m) {
      m.goTo(bounds, m.env, m.in, null, new Count(m));
    }

    private static final class Count extends Cont {
      private final boolean tracking;

      Count(Machine m) {
        super(m.next);
        this.tracking = m.path != null;
      }

      @Override
      void accept(Machine m) {
        for (JsonNode bound : m.in) {
          if (!bound.isNumber()) {
            throw new JqError("Range bounds must be numeric");
          }
        }
        double by = m.in.get(2).doubleValue();
        if (by == 0) {
          m.backtrack();
          return;
        }
        step(m, m.in.get(0).doubleValue(), m.in.get(1).doubleValue(), by);
      }

      void step(Machine m, double value, double end, double by) {
        if (!(by > 0 ? value < end : value > end)) {
          m.backtrack();
          return;
        }
        m.push(new More(this, value + by, end, by));
        m.next = next;
        m.give(Numbers.of(value), tracking ? Path.NONE : null);
      }
    }

    private static final class More extends Fork {
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
      void resume(Machine m) {
        count.step(m, value, end, by);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(count);
      }
    }
  }
}
