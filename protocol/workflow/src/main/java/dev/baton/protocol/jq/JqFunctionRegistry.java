/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The library functions. Thread-safe. */
final class JqFunctionRegistry {
  private static final String SOURCE = "library.jq";

  /** Functions in Java, by name and number of arguments. */
  private static final Map<String, JqNativeCallFilter.Function> FUNCTIONS = functions();

  private static final Map<String, Definition> DEFINITIONS = definitions();

  private JqFunctionRegistry() {}

  /** A library function written in jq; compiled at its first call. */
  static final class Definition {
    private final JqAstNode.Define source;
    private volatile @Nullable JqFilter body;

    private Definition(JqAstNode.Define source) {
      this.source = source;
    }

    JqFilter body() {
      JqFilter known = body;
      if (known == null) {
        known = JqCompiler.body(source);
        body = known;
      }
      return known;
    }
  }

  private static Map<String, JqNativeCallFilter.Function> functions() {
    Map<String, JqNativeCallFilter.Function> all = new HashMap<>();
    JqStringLibrary.addTo(all);
    JqCollectionLibrary.addTo(all);
    JqMathLibrary.addTo(all);
    JqDateLibrary.addTo(all);
    JqRegexLibrary.addTo(all);
    return Map.copyOf(all);
  }

  private static Map<String, Definition> definitions() {
    Map<String, Definition> all = new HashMap<>();
    try (InputStream in = JqFunctionRegistry.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new IllegalStateException(SOURCE + " is missing");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (JqAstNode.Define definition : JqParser.definitions(text)) {
        String name = definition.name() + "/" + definition.parameters().size();
        all.put(name, new Definition(definition));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(all);
  }

  /** Returns the name of the function that implements an assignment operator. */
  static String assignment(String operator) {
    return switch (operator) {
      case "=" -> "_assign";
      case "|=" -> "_modify";
      case "+=" -> "_plus_each";
      case "-=" -> "_minus_each";
      case "*=" -> "_times_each";
      case "/=" -> "_divide_each";
      case "%=" -> "_modulo_each";
      case "//=" -> "_alternative_each";
      default -> throw new IllegalArgumentException(operator);
    };
  }

  /**
   * @param name with the number of arguments, as {@code map/1}
   * @return null for an unknown function
   */
  static @Nullable JqFilter call(String name, List<JqFilter> arguments) {
    switch (name) {
      case "empty/0" -> {
        return new JqFlowFilter.Empty();
      }
      case "path/1" -> {
        return new JqControlFilter.Paths(arguments.getFirst());
      }
      case "getpath/1" -> {
        return new JqAccessFilter.GetPath(arguments.getFirst());
      }
      case "range/1", "range/2", "range/3" -> {
        return new JqFoldFilter.Range(bounds(arguments));
      }
      case "_sub/3" -> {
        return new JqSubstituteFilter(arguments.get(0), arguments.get(1), arguments.get(2));
      }
      default -> {
        JqNativeCallFilter.Function function = FUNCTIONS.get(name);
        if (function != null) {
          return new JqNativeCallFilter(function, arguments, !name.startsWith("_"));
        }
        Definition definition = DEFINITIONS.get(name);
        return definition == null ? null : new JqFlowFilter.CallLibrary(definition, arguments);
      }
    }
  }

  private static JqFilter bounds(List<JqFilter> arguments) {
    JqFilter zero = new JqFlowFilter.Literal(JqArithmetic.of(0));
    JqFilter one = new JqFlowFilter.Literal(JqArithmetic.of(1));
    List<JqFilter> all =
        switch (arguments.size()) {
          case 1 -> List.of(zero, arguments.getFirst(), one);
          case 2 -> List.of(arguments.get(0), arguments.get(1), one);
          default -> arguments;
        };
    return new JqNativeCallFilter(
        (m, in, a) -> JqTypeSystem.array(3).add(a[0]).add(a[1]).add(a[2]), all, false);
  }
}
