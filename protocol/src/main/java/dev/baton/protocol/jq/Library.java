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

/** The functions that a program may call without defining them. Thread-safe. */
final class Library {
  private static final String SOURCE = "library.jq";

  /** Functions of Java, by name and number of arguments. */
  private static final Map<String, Apply.Function> FUNCTIONS = functions();

  private static final Map<String, Definition> DEFINITIONS = definitions();

  private Library() {}

  /** A function that is written in jq; compiled at its first call. */
  static final class Definition {
    private final Ast.Define source;
    private volatile @Nullable Node body;

    private Definition(Ast.Define source) {
      this.source = source;
    }

    Node body() {
      Node known = body;
      if (known == null) {
        known = Compiler.body(source);
        body = known;
      }
      return known;
    }
  }

  private static Map<String, Apply.Function> functions() {
    Map<String, Apply.Function> all = new HashMap<>();
    TextFunctions.addTo(all);
    CollectionFunctions.addTo(all);
    MathFunctions.addTo(all);
    DateFunctions.addTo(all);
    RegexFunctions.addTo(all);
    return Map.copyOf(all);
  }

  private static Map<String, Definition> definitions() {
    Map<String, Definition> all = new HashMap<>();
    try (InputStream in = Library.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new IllegalStateException(SOURCE + " is missing");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (Ast.Define definition : Parser.definitions(text)) {
        String name = definition.name() + "/" + definition.parameters().size();
        all.put(name, new Definition(definition));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(all);
  }

  /** The name of the function that an assignment operator calls. */
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
   * @return null when there is no such function
   */
  static @Nullable Node call(String name, List<Node> arguments) {
    switch (name) {
      case "empty/0" -> {
        return new Flow.Empty();
      }
      case "path/1" -> {
        return new Control.Paths(arguments.getFirst());
      }
      case "getpath/1" -> {
        return new Access.GetPath(arguments.getFirst());
      }
      case "range/1", "range/2", "range/3" -> {
        return new Folds.Range(bounds(arguments));
      }
      case "_sub/3" -> {
        return new Substitute(arguments.get(0), arguments.get(1), arguments.get(2));
      }
      default -> {
        Apply.Function function = FUNCTIONS.get(name);
        if (function != null) {
          return new Apply(function, arguments, !name.startsWith("_"));
        }
        Definition definition = DEFINITIONS.get(name);
        return definition == null ? null : new Flow.CallLibrary(definition, arguments);
      }
    }
  }

  private static Node bounds(List<Node> arguments) {
    Node zero = new Flow.Literal(Numbers.of(0));
    Node one = new Flow.Literal(Numbers.of(1));
    List<Node> all =
        switch (arguments.size()) {
          case 1 -> List.of(zero, arguments.getFirst(), one);
          case 2 -> List.of(arguments.get(0), arguments.get(1), one);
          default -> arguments;
        };
    return new Apply((m, in, a) -> Values.array(3).add(a[0]).add(a[1]).add(a[2]), all, false);
  }
}
