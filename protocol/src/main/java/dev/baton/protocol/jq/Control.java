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

/** The filters that catch errors, go back, and gather results. */
final class Control {
  private Control() {}

  static final class Try extends Node {
    private final Node body;
    private final @Nullable Node handler;

    Try(Node body, @Nullable Node handler) {
      super(false, body);
      this.body = body;
      this.handler = handler;
    }

    @Override
    void run(Machine m) {
      Handler mark = new Caught(m, handler);
      Cont leave = new Leave(m);
      m.handlers = mark;
      m.goTo(body, m.env, m.in, m.path, leave);
    }

    private static final class Caught extends Handler {
      private final @Nullable Node node;
      private final boolean tracking;

      Caught(Machine m, @Nullable Node node) {
        super(m);
        this.node = node;
        this.tracking = m.path != null;
      }

      @Override
      void handle(Machine m, JsonNode error) {
        if (node == null) {
          m.backtrack();
        } else {
          m.goTo(node, env, error, tracking ? Path.NONE : null, next);
        }
      }
    }
  }

  /** Takes the handlers around a {@code try} into force again. */
  private static final class Leave extends Cont {
    private final @Nullable Handler outer;

    Leave(Machine m) {
      super(m.next);
      this.outer = m.handlers;
    }

    @Override
    void accept(Machine m) {
      m.handlers = outer;
      m.next = next;
    }

    @Override
    public void trace(LiveBytes live) {
      super.trace(live);
      live.add(outer);
    }
  }

  /** The first of several filters that gives no error. */
  static final class FirstWithoutError extends Node {
    private final List<Node> choices;

    FirstWithoutError(List<Node> choices) {
      super(false);
      this.choices = List.copyOf(choices);
    }

    @Override
    void run(Machine m) {
      attempt(m, 0, m.env, m.in, m.path);
    }

    private void attempt(
        Machine m, int index, @Nullable Env env, JsonNode in, @Nullable Path path) {
      Cont after = m.next;
      if (index + 1 < choices.size()) {
        m.env = env;
        Handler mark = new Retry(m, this, index + 1, in, path);
        after = new Leave(m);
        m.handlers = mark;
      }
      m.goTo(choices.get(index), env, in, path, after);
    }

    private static final class Retry extends Handler {
      private final FirstWithoutError all;
      private final int index;
      private final JsonNode in;
      private final @Nullable Path path;

      Retry(Machine m, FirstWithoutError all, int index, JsonNode in, @Nullable Path path) {
        super(m);
        this.all = all;
        this.index = index;
        this.in = in;
        this.path = path;
      }

      @Override
      void handle(Machine m, JsonNode error) {
        all.attempt(m, index, env, in, path);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(in);
        live.add(path);
      }
    }
  }

  static final class MarkLabel extends Node {
    private final Node body;

    MarkLabel(Node body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(Machine m) {
      m.goTo(body, new Env(m.env, new Env.Label(m.height())), m.in, m.path, m.next);
    }
  }

  static final class Break extends Node {
    private final int distance;

    Break(int distance) {
      super(false);
      this.distance = distance;
    }

    @Override
    void run(Machine m) {
      m.cut(((Env.Label) Env.get(m.env, distance)).height());
      m.backtrack();
    }
  }

  /** {@code a // b}. */
  static final class Alternative extends Node {
    private final Node left;
    private final Node right;

    Alternative(Node left, Node right) {
      super(false, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(Machine m) {
      Found found = new Found();
      m.push(new Otherwise(m, right, found));
      Handler mark = new Swallow(m);
      Cont leave = new Only(m, found);
      m.handlers = mark;
      m.goTo(left, m.env, m.in, m.path, leave);
    }

    private static final class Found {
      boolean any;
    }

    private static final class Otherwise extends Fork {
      private final Flow.Other other;
      private final Found found;

      Otherwise(Machine m, Node right, Found found) {
        this.other = new Flow.Other(m, right);
        this.found = found;
      }

      @Override
      void resume(Machine m) {
        if (found.any) {
          m.backtrack();
        } else {
          other.resume(m);
        }
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(other);
      }
    }

    private static final class Swallow extends Handler {
      Swallow(Machine m) {
        super(m);
      }

      @Override
      void handle(Machine m, JsonNode error) {
        m.backtrack();
      }
    }

    private static final class Only extends Cont {
      private final @Nullable Handler outer;
      private final Found found;

      Only(Machine m, Found found) {
        super(m.next);
        this.outer = m.handlers;
        this.found = found;
      }

      @Override
      void accept(Machine m) {
        if (Values.isTrue(m.in)) {
          found.any = true;
          m.handlers = outer;
          m.next = next;
        } else {
          m.backtrack();
        }
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(outer);
      }
    }
  }

  /** {@code path(f)}. */
  static final class Paths extends Node {
    private final Node body;

    Paths(Node body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(Machine m) {
      m.goTo(body, m.env, m.in, Path.ROOT, new ToArray(m));
    }

    private static final class ToArray extends Cont {
      private final boolean tracking;

      ToArray(Machine m) {
        super(m.next);
        this.tracking = m.path != null;
      }

      @Override
      void accept(Machine m) {
        Path found = m.path;
        if (found == null || found == Path.NONE) {
          throw new JqError(
              "Invalid path expression with result " + JsonText.shortened(m.in, Access.SHOWN));
        }
        ArrayNode keys = found.toArray();
        m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * keys.size());
        m.next = next;
        m.give(keys, tracking ? Path.NONE : null);
      }
    }
  }

  /** {@code [f]}. */
  static final class Collect extends Node {
    private final Node body;

    Collect(Node body) {
      super(false, body);
      this.body = body;
    }

    @Override
    void run(Machine m) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      m.push(new All(m, all));
      m.goTo(body, m.env, m.in, null, new Add(all));
    }

    private static final class Add extends Cont {
      private final ArrayNode all;

      Add(ArrayNode all) {
        super(null);
        this.all = all;
      }

      @Override
      void accept(Machine m) {
        m.charge(LiveBytes.ELEMENT);
        all.add(m.in);
        m.backtrack();
      }

      @Override
      public void trace(LiveBytes live) {
        live.add(all);
      }
    }

    private static final class All extends Fork {
      private final ArrayNode all;
      private final boolean tracking;
      private final @Nullable Cont next;

      All(Machine m, ArrayNode all) {
        this.all = all;
        this.tracking = m.path != null;
        this.next = m.next;
      }

      @Override
      void resume(Machine m) {
        m.next = next;
        m.give(all, tracking ? Path.NONE : null);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(all);
        live.add(next);
      }
    }
  }
}
