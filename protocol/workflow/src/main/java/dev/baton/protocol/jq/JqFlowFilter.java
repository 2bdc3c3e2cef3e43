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
        JqEnvironment env = m.env;
        JqContinuation next = m.next;
        JqContinuation then =
            JqContinuation.of(next, () -> m.goTo(right, env, m.in, m.path, next), env);
        m.goTo(left, env, m.in, m.path, then);
      }
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return right.one(m, env, left.one(m, env, in));
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
      JqFrame frame = JqFrame.of(m);
      m.push(frame.otherwise(() -> frame.start(m, right)));
      frame.start(m, left);
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
        m.goTo(chosen(condition.one(m, m.env, m.in)), m.env, m.in, m.path, m.next);
      } else {
        JqFrame frame = JqFrame.of(m);
        JqContinuation choose = frame.then(() -> frame.start(m, chosen(m.in)));
        m.goTo(condition, m.env, m.in, null, choose);
      }
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return chosen(condition.one(m, env, in)).one(m, env, in);
    }

    private JqFilter chosen(JsonNode decision) {
      return JqTypeSystem.isTrue(decision) ? yes : no;
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
        bind(m, JqFrame.of(m), source.one(m, m.env, m.in));
      } else {
        JqFrame frame = JqFrame.of(m);
        m.goTo(source, m.env, m.in, null, frame.then(() -> bind(m, frame, m.in)));
      }
    }

    private void bind(JqEvaluator m, JqFrame frame, JsonNode value) {
      m.goTo(body, new JqEnvironment(frame.env(), value), frame.in(), frame.path(), frame.next());
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      return body.one(m, new JqEnvironment(env, source.one(m, env, in)), in);
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
