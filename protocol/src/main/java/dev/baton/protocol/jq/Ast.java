/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed program. {@code offset} is the character where the part begins. */
sealed interface Ast {
  record Identity(int offset) implements Ast {}

  record Literal(JsonNode value) implements Ast {}

  record Index(Ast target, Ast key) implements Ast {}

  record Slice(Ast target, @Nullable Ast from, @Nullable Ast to) implements Ast {}

  record Each(Ast target) implements Ast {}

  record Pipe(List<Ast> parts) implements Ast {}

  record Comma(Ast left, Ast right) implements Ast {}

  record Negate(Ast operand) implements Ast {}

  /** An operator by its text, assignments included. */
  record Binary(String operator, Ast left, Ast right) implements Ast {}

  record If(Ast condition, Ast yes, Ast no) implements Ast {}

  record Try(Ast body, @Nullable Ast handler) implements Ast {}

  record Label(String name, Ast body) implements Ast {}

  record Break(String name, int offset) implements Ast {}

  record As(Ast source, List<Pattern> patterns, Ast body) implements Ast {}

  record Reduce(Ast source, List<Pattern> patterns, Ast initial, Ast update) implements Ast {}

  record Foreach(Ast source, List<Pattern> patterns, Ast initial, Ast update, @Nullable Ast extract)
      implements Ast {}

  record Define(String name, List<String> parameters, Ast body, Ast rest) implements Ast {}

  record Call(String name, List<Ast> arguments, int offset) implements Ast {}

  record Variable(String name, int offset) implements Ast {}

  record MakeArray(@Nullable Ast body) implements Ast {}

  record MakeObject(List<Member> members) implements Ast {}

  /** A string of pieces, each formatted by {@code format} unless it is fixed text. */
  record Text(String format, List<Ast> pieces, int offset) implements Ast {}

  record Format(String name, int offset) implements Ast {}

  /** The first that gives no error. */
  record FirstOf(List<Ast> choices) implements Ast {}

  record Member(Ast key, Ast value) {}

  /** What {@code as} binds. */
  sealed interface Pattern {
    record Name(String name) implements Pattern {}

    record Items(List<Pattern> items) implements Pattern {}

    record Fields(List<FieldPattern> fields) implements Pattern {}
  }

  /**
   * @param variable bound to the field's value too, where it was written {@code $name}
   */
  record FieldPattern(Ast key, @Nullable String variable, @Nullable Pattern pattern) {}
}
