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

/** A node of a parsed program. {@code offset} is its first character. */
sealed interface JqAstNode {
  record Identity(int offset) implements JqAstNode {}

  record Literal(JsonNode value) implements JqAstNode {}

  record Index(JqAstNode target, JqAstNode key) implements JqAstNode {}

  record Slice(JqAstNode target, @Nullable JqAstNode from, @Nullable JqAstNode to)
      implements JqAstNode {}

  record Each(JqAstNode target) implements JqAstNode {}

  record Pipe(List<JqAstNode> parts) implements JqAstNode {}

  record Comma(JqAstNode left, JqAstNode right) implements JqAstNode {}

  record Negate(JqAstNode operand) implements JqAstNode {}

  /** An operator by its text, assignments included. */
  record Binary(String operator, JqAstNode left, JqAstNode right) implements JqAstNode {}

  record If(JqAstNode condition, JqAstNode yes, JqAstNode no) implements JqAstNode {}

  record Try(JqAstNode body, @Nullable JqAstNode handler) implements JqAstNode {}

  record Label(String name, JqAstNode body) implements JqAstNode {}

  record Break(String name, int offset) implements JqAstNode {}

  record As(JqAstNode source, List<Pattern> patterns, JqAstNode body) implements JqAstNode {}

  record Reduce(JqAstNode source, List<Pattern> patterns, JqAstNode initial, JqAstNode update)
      implements JqAstNode {}

  record Foreach(
      JqAstNode source,
      List<Pattern> patterns,
      JqAstNode initial,
      JqAstNode update,
      @Nullable JqAstNode extract)
      implements JqAstNode {}

  record Define(String name, List<String> parameters, JqAstNode body, JqAstNode rest)
      implements JqAstNode {}

  record Call(String name, List<JqAstNode> arguments, int offset) implements JqAstNode {}

  record Variable(String name, int offset) implements JqAstNode {}

  record MakeArray(@Nullable JqAstNode body) implements JqAstNode {}

  record MakeObject(List<Member> members) implements JqAstNode {}

  /** A string with pieces, each formatted by {@code format} unless it is fixed text. */
  record Text(String format, List<JqAstNode> pieces, int offset) implements JqAstNode {}

  record Format(String name, int offset) implements JqAstNode {}

  /** The first choice that does not fail. */
  record FirstOf(List<JqAstNode> choices) implements JqAstNode {}

  record Member(JqAstNode key, JqAstNode value) {}

  /** The target of {@code as}. */
  sealed interface Pattern {
    record Name(String name) implements Pattern {}

    record Items(List<Pattern> items) implements Pattern {}

    record Fields(List<FieldPattern> fields) implements Pattern {}
  }

  /**
   * @param variable also bound to the field's value, where it was written {@code $name}
   */
  record FieldPattern(JqAstNode key, @Nullable String variable, @Nullable Pattern pattern) {}
}
