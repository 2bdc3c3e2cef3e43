/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import net.thisptr.jackson.jq.BuiltinFunctionLoader;
import net.thisptr.jackson.jq.Function;
import net.thisptr.jackson.jq.PathOutput;
import net.thisptr.jackson.jq.Scope;
import net.thisptr.jackson.jq.Version;
import net.thisptr.jackson.jq.Versions;
import net.thisptr.jackson.jq.exception.JsonQueryException;

/**
 * The functions expressions have: jq 1.7 without what reads a clock, the environment, files or
 * standard input. Never changed once built.
 */
final class JqScope {
  static final Version VERSION = Versions.JQ_1_7;

  /**
   * Called first in every function that an expression defines, and after every pipe, so that
   * neither recursion nor streams within streams run past the deadline. Gives its input, and keeps
   * its path. Not a name jq can clash with.
   */
  static final String TICK = "_baton_tick";

  private static final Set<String> REMOVED =
      Set.of("now/0", "debug_scope/0", "env/0", "builtins/0");

  private static final Scope ROOT = build();
  private static final Set<String> NAMES = available();

  private JqScope() {}

  /** A scope for one evaluation. */
  static Scope child() {
    return Scope.newChildScope(ROOT);
  }

  /** {@code name/arity} of every function an expression may call. */
  static Set<String> names() {
    return NAMES;
  }

  private static Set<String> available() {
    Set<String> names = new TreeSet<>(ROOT.getLocalFunctions().keySet());
    names.removeIf(name -> REMOVED.contains(name) || name.startsWith("_"));
    return Set.copyOf(names);
  }

  private static Scope build() {
    Scope root = Scope.newEmptyScope();
    BuiltinFunctionLoader.getInstance()
        .loadFunctions(JqScope.class.getClassLoader(), VERSION, root);
    // Functions written in jq look others up in this same scope, so they meet the guards too.
    root.getLocalFunctions()
        .forEach(
            (name, function) ->
                root.addFunction(
                    name, REMOVED.contains(name) ? unavailable(name) : guard(name, function)));
    root.addFunction(
        TICK,
        0,
        (scope, args, in, path, output, version) -> {
          Budget.tick();
          output.emit(in, path);
        });
    root.addFunction("trim", 0, onText("trim", String::strip));
    root.addFunction("ltrim", 0, onText("ltrim", String::stripLeading));
    root.addFunction("rtrim", 0, onText("rtrim", String::stripTrailing));
    return root;
  }

  private static Function guard(String name, Function function) {
    if (!name.startsWith("range/")) {
      return (scope, args, in, path, output, version) -> {
        Budget.tick();
        function.apply(scope, args, in, path, output, version);
      };
    }
    // The one source of numbers without end that is not made of calls.
    return (scope, args, in, path, output, version) -> {
      PathOutput ticking =
          (value, at) -> {
            Budget.tick();
            output.emit(value, at);
          };
      function.apply(scope, args, in, path, ticking, version);
    };
  }

  private static Function unavailable(String name) {
    return (scope, args, in, path, output, version) -> {
      throw new JsonQueryException("Function " + name + " is not available");
    };
  }

  private static Function onText(String name, UnaryOperator<String> change) {
    return (scope, args, in, path, output, version) -> {
      Budget.tick();
      if (!(in instanceof TextNode text)) {
        throw new JsonQueryException(name + " input must be a string");
      }
      JsonNode changed = TextNode.valueOf(change.apply(text.textValue()));
      output.emit(changed, null);
    };
  }
}
