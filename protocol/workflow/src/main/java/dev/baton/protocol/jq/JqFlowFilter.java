/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.jq.JqEnvironment.Closure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Filters that decide what is evaluated next: pipes, conditions, bindings, calls. */
final class JqFlowFilter {
  private JqFlowFilter() {}

  /** Saves the bindings and input of a filter, to start another filter with them. */
  abstract static class Resumable extends JqContinuation {
    final @Nullable JqEnvironment env;
    final JsonNode in;
    final @Nullable JqPath path;

    Resumable(JqEvaluator m) {
      super(m.next);
      this.env = m.env;
      this.in = m.in;
      this.path = m.path;
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(env);
      live.add(in);
      live.add(path);
    }
  }

  /** Runs another filter with the same bindings and input. */
  static final class Other extends JqChoicePoint {
    private final JqFilter node;
    private final @Nullable JqEnvironment env;
    private final JsonNode in;
    private final @Nullable JqPath path;
    private final @Nullable JqContinuation next;

    Other(JqEvaluator m, JqFilter node) {
      this.node = node;
      this.env = m.env;
      this.in = m.in;
      this.path = m.path;
      this.next = m.next;
    }

    @Override
    void resume(JqEvaluator m) {
      m.goTo(node, env, in, path, next);
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(env);
      live.add(in);
      live.add(path);
      live.add(next);
    }
  }

  static final class Identity extends JqFilter {
    Identity() {
      super(true);
    }

    @Override
    void run(JqEvaluator m) {
      m.give(m.in, m.path);
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return in;
    }
  }

  static final class Literal extends JqFilter {
    final JsonNode value;

    Literal(JsonNode value) {
      super(true);
      this.value = value;
    }

    @Override
    void run(JqEvaluator m) {
      m.giveNew(value);
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return value;
    }
  }

  static final class Empty extends JqFilter {
    Empty() {
      super(false);
    }

    @Override
    void run(JqEvaluator m) {
      m.backtrack();
    }
  }

  static final class Pipe extends JqFilter {
    private final JqFilter left;
    private final JqFilter right;

    Pipe(JqFilter left, JqFilter right) {
      super(true, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(JqEvaluator m) {
      if (left.simple && m.path == null) {
        m.goTo(right, m.env, left.one(m, m.env, m.in), null, m.next);
      } else {
        m.goTo(left, m.env, m.in, m.path, new Then(m, right));
      }
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return right.one(m, env, left.one(m, env, in));
    }

    private static final class Then extends JqContinuation {
      private final JqFilter right;
      private final @Nullable JqEnvironment env;

      Then(JqEvaluator m, JqFilter right) {
        super(m.next);
        this.right = right;
        this.env = m.env;
      }

      @Override
      void accept(JqEvaluator m) {
        m.goTo(right, env, m.in, m.path, next);
      }

      @Override
      public void trace(JqMemoryEstimator live) {
        super.trace(live);
        live.add(env);
      }
    }
  }

  static final class Comma extends JqFilter {
    private final JqFilter left;
    private final JqFilter right;

    Comma(JqFilter left, JqFilter right) {
      super(false, left, right);
      this.left = left;
      this.right = right;
    }

    @Override
    void run(JqEvaluator m) {
      m.push(new Other(m, right));
      m.goTo(left, m.env, m.in, m.path, m.next);
    }
  }

  static final class If extends JqFilter {
    private final JqFilter condition;
    private final JqFilter yes;
    private final JqFilter no;

    If(JqFilter condition, JqFilter yes, JqFilter no) {
      super(true, condition, yes, no);
      this.condition = condition;
      this.yes = yes;
      this.no = no;
    }

    @Override
    void run(JqEvaluator m) {
      if (condition.simple) {
        JqFilter chosen = JqTypeSystem.isTrue(condition.one(m, m.env, m.in)) ? yes : no;
        m.goTo(chosen, m.env, m.in, m.path, m.next);
      } else {
        m.goTo(condition, m.env, m.in, null, new Choose(m, this));
      }
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return JqTypeSystem.isTrue(condition.one(m, env, in))
          ? yes.one(m, env, in)
          : no.one(m, env, in);
    }

    private static final class Choose extends Resumable {
      private final If choice;

      Choose(JqEvaluator m, If choice) {
        super(m);
        this.choice = choice;
      }

      @Override
      void accept(JqEvaluator m) {
        m.goTo(JqTypeSystem.isTrue(m.in) ? choice.yes : choice.no, env, in, path, next);
      }
    }
  }

  /** Binds each result of a source to a variable. */
  static final class Bind extends JqFilter {
    private final JqFilter source;
    private final JqFilter body;

    Bind(JqFilter source, JqFilter body) {
      super(true, source, body);
      this.source = source;
      this.body = body;
    }

    @Override
    void run(JqEvaluator m) {
      if (source.simple) {
        JqEnvironment inner = new JqEnvironment(m.env, source.one(m, m.env, m.in));
        m.goTo(body, inner, m.in, m.path, m.next);
      } else {
        m.goTo(source, m.env, m.in, null, new Bound(m, body));
      }
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return body.one(m, new JqEnvironment(env, source.one(m, env, in)), in);
    }

    private static final class Bound extends Resumable {
      private final JqFilter body;

      Bound(JqEvaluator m, JqFilter body) {
        super(m);
        this.body = body;
      }

      @Override
      void accept(JqEvaluator m) {
        m.goTo(body, new JqEnvironment(env, m.in), in, path, next);
      }
    }
  }

  static final class Variable extends JqFilter {
    private final int distance;

    Variable(int distance) {
      super(true);
      this.distance = distance;
    }

    @Override
    void run(JqEvaluator m) {
      m.giveNew((JsonNode) JqEnvironment.get(m.env, distance));
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return (JsonNode) JqEnvironment.get(env, distance);
    }
  }

  /** Opens the scope of a function definition. */
  static final class Define extends JqFilter {
    private final JqFilter body;
    private final JqFilter rest;

    Define(JqFilter body, JqFilter rest) {
      super(false, body, rest);
      this.body = body;
      this.rest = rest;
    }

    @Override
    void run(JqEvaluator m) {
      m.goTo(rest, JqEnvironment.recursive(m.env, body), m.in, m.path, m.next);
    }
  }

  /** Calls a function or a parameter in scope. */
  static final class Call extends JqFilter {
    private final int distance;
    private final List<JqFilter> arguments;

    Call(int distance, List<JqFilter> arguments) {
      super(false);
      this.distance = distance;
      this.arguments = List.copyOf(arguments);
    }

    Closure target(@Nullable JqEnvironment env) {
      return (Closure) JqEnvironment.get(env, distance);
    }

    @Override
    void run(JqEvaluator m) {
      Closure target = target(m.env);
      m.goTo(target.body(), withArguments(target.env(), m.env, arguments), m.in, m.path, m.next);
    }

    static @Nullable JqEnvironment withArguments(
        @Nullable JqEnvironment callee, @Nullable JqEnvironment caller, List<JqFilter> arguments) {
      JqEnvironment env = callee;
      for (JqFilter argument : arguments) {
        // A parameter that is only passed on is not wrapped again: recursion would wrap it at every
        // level.
        env =
            new JqEnvironment(
                env,
                argument instanceof Call passed && passed.arguments.isEmpty()
                    ? passed.target(caller)
                    : new Closure(argument, caller));
      }
      return env;
    }
  }

  /** Calls a library function, which can access only its arguments. */
  static final class CallLibrary extends JqFilter {
    private final JqFunctionRegistry.Definition definition;
    private final List<JqFilter> arguments;

    CallLibrary(JqFunctionRegistry.Definition definition, List<JqFilter> arguments) {
      super(false);
      this.definition = definition;
      this.arguments = List.copyOf(arguments);
    }

    @Override
    void run(JqEvaluator m) {
      JqEnvironment env = Call.withArguments(null, m.env, arguments);
      m.goTo(definition.body(), env, m.in, m.path, m.next);
    }
  }
}
