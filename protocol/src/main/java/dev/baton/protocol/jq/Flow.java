/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.jq.Env.Closure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The filters that decide what is evaluated next: pipes, conditions, bindings, calls. */
final class Flow {
  private Flow() {}

  /** Where a filter was begun, to begin another one there. */
  abstract static class Resumable extends Cont {
    final @Nullable Env env;
    final JsonNode in;
    final @Nullable Path path;

    Resumable(Machine m) {
      super(m.next);
      this.env = m.env;
      this.in = m.in;
      this.path = m.path;
    }

    @Override
    public void trace(LiveBytes live) {
      super.trace(live);
      live.add(env);
      live.add(in);
      live.add(path);
    }
  }

  /** Runs another filter where this one began. */
  static final class Other extends Fork {
    private final Node node;
    private final @Nullable Env env;
    private final JsonNode in;
    private final @Nullable Path path;
    private final @Nullable Cont next;

    Other(Machine m, Node node) {
      this.node = node;
      this.env = m.env;
      this.in = m.in;
      this.path = m.path;
      this.next = m.next;
    }

    @Override
    void resume(Machine m) {
      m.goTo(node, env, in, path, next);
    }

    @Override
    public void trace(LiveBytes live) {
      super.trace(live);
      live.add(env);
      live.add(in);
      live.add(path);
      live.add(next);
    }
  }

  static final class Identity extends Node {
    Identity() {
      super(true);
    }

    @Override
    void run(Machine m) {
      m.give(m.in, m.path);
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return in;
    }
  }

  static final class Literal extends Node {
    final JsonNode value;

    Literal(JsonNode value) {
      super(true);
      this.value = value;
    }

    @Override
    void run(Machine m) {
      m.giveNew(value);
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return value;
    }
  }

  static final class Empty extends Node {
    Empty() {
      super(false);
    }

    @Override
    void run(Machine m) {
      m.backtrack();
    }
  }

  static final class Pipe extends Node {
    private final Node left;
    private final Node right;

    Pipe(Node left, Node right) {
      super(true, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(Machine m) {
      if (left.simple && m.path == null) {
        m.goTo(right, m.env, left.one(m, m.env, m.in), null, m.next);
      } else {
        m.goTo(left, m.env, m.in, m.path, new Then(m, right));
      }
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return right.one(m, env, left.one(m, env, in));
    }

    private static final class Then extends Cont {
      private final Node right;
      private final @Nullable Env env;

      Then(Machine m, Node right) {
        super(m.next);
        this.right = right;
        this.env = m.env;
      }

      @Override
      void accept(Machine m) {
        m.goTo(right, env, m.in, m.path, next);
      }

      @Override
      public void trace(LiveBytes live) {
        super.trace(live);
        live.add(env);
      }
    }
  }

  static final class Comma extends Node {
    private final Node left;
    private final Node right;

    Comma(Node left, Node right) {
      super(false, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(Machine m) {
      m.push(new Other(m, right));
      m.goTo(left, m.env, m.in, m.path, m.next);
    }
  }

  static final class If extends Node {
    private final Node condition;
    private final Node yes;
    private final Node no;

    If(Node condition, Node yes, Node no) {
      super(true, condition, yes, no);
      this.condition = condition;
      this.yes = yes;
      this.no = no;
    }

    @Override
    void run(Machine m) {
      if (condition.simple) {
        Node chosen = Values.isTrue(condition.one(m, m.env, m.in)) ? yes : no;
        m.goTo(chosen, m.env, m.in, m.path, m.next);
      } else {
        m.goTo(condition, m.env, m.in, null, new Choose(m, this));
      }
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return Values.isTrue(condition.one(m, env, in)) ? yes.one(m, env, in) : no.one(m, env, in);
    }

    private static final class Choose extends Resumable {
      private final If choice;

      Choose(Machine m, If choice) {
        super(m);
        this.choice = choice;
      }

      @Override
      void accept(Machine m) {
        m.goTo(Values.isTrue(m.in) ? choice.yes : choice.no, env, in, path, next);
      }
    }
  }

  /** Binds each result of a source to a variable. */
  static final class Bind extends Node {
    private final Node source;
    private final Node body;

    Bind(Node source, Node body) {
      super(true, source, body);
      this.source = source;
      this.body = body;
    }

    @Override
    void run(Machine m) {
      if (source.simple) {
        Env inner = new Env(m.env, source.one(m, m.env, m.in));
        m.goTo(body, inner, m.in, m.path, m.next);
      } else {
        m.goTo(source, m.env, m.in, null, new Bound(m, body));
      }
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return body.one(m, new Env(env, source.one(m, env, in)), in);
    }

    private static final class Bound extends Resumable {
      private final Node body;

      Bound(Machine m, Node body) {
        super(m);
        this.body = body;
      }

      @Override
      void accept(Machine m) {
        m.goTo(body, new Env(env, m.in), in, path, next);
      }
    }
  }

  static final class Variable extends Node {
    private final int distance;

    Variable(int distance) {
      super(true);
      this.distance = distance;
    }

    @Override
    void run(Machine m) {
      m.giveNew((JsonNode) Env.get(m.env, distance));
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      return (JsonNode) Env.get(env, distance);
    }
  }

  /** Begins the scope of a function. */
  static final class Define extends Node {
    private final Node body;
    private final Node rest;

    Define(Node body, Node rest) {
      super(false, body, rest);
      this.body = body;
      this.rest = rest;
    }

    @Override
    void run(Machine m) {
      m.goTo(rest, Env.recursive(m.env, body), m.in, m.path, m.next);
    }
  }

  /** Calls a function or a parameter that is in scope. */
  static final class Call extends Node {
    private final int distance;
    private final List<Node> arguments;

    Call(int distance, List<Node> arguments) {
      super(false);
      this.distance = distance;
      this.arguments = List.copyOf(arguments);
    }

    Closure target(@Nullable Env env) {
      return (Closure) Env.get(env, distance);
    }

    @Override
    void run(Machine m) {
      Closure target = target(m.env);
      m.goTo(target.body(), withArguments(target.env(), m.env, arguments), m.in, m.path, m.next);
    }

    static @Nullable Env withArguments(
        @Nullable Env callee, @Nullable Env caller, List<Node> arguments) {
      Env env = callee;
      for (Node argument : arguments) {
        // A parameter that is only passed on is not wrapped again, else recursion would wrap it
        // once for each level.
        env =
            new Env(
                env,
                argument instanceof Call passed && passed.arguments.isEmpty()
                    ? passed.target(caller)
                    : new Closure(argument, caller));
      }
      return env;
    }
  }

  /** Calls a function of the library, which sees no bindings but its arguments. */
  static final class CallLibrary extends Node {
    private final Library.Definition definition;
    private final List<Node> arguments;

    CallLibrary(Library.Definition definition, List<Node> arguments) {
      super(false);
      this.definition = definition;
      this.arguments = List.copyOf(arguments);
    }

    @Override
    void run(Machine m) {
      Env env = Call.withArguments(null, m.env, arguments);
      m.goTo(definition.body(), env, m.in, m.path, m.next);
    }
  }
}
