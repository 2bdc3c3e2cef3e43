/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Predicate;

/** A compiled jq program. Immutable, thread-safe. */
public final class JqProgram {
  private final JqFilter node;
  private final List<Reference> references;

  private JqProgram(JqFilter node, List<Reference> references) {
    this.node = node;
    this.references = references;
  }

  /**
   * A path that a program certainly reads from its input.
   *
   * @param path names, at least one
   * @param offset of its first dot
   */
  public record Reference(List<String> path, int offset) {
    public Reference {
      path = List.copyOf(path);
    }
  }

  /**
   * @throws JqSyntaxException when the text is not valid jq, or uses unknown names
   */
  public static JqProgram compile(String text) {
    try {
      JqAstNode ast = JqParser.parse(text);
      return new JqProgram(JqCompiler.compile(ast), JqReferenceFinder.in(ast));
    } catch (StackOverflowError e) {
      throw new JqSyntaxException("the expression is nested too deeply", 0);
    }
  }

  public List<Reference> references() {
    return references;
  }

  /**
   * Returns the position of the <code>}}</code> that ends a program within a text; -1 when there is
   * none.
   */
  public static int endWithin(String text, int start) {
    return JqLexer.endOfPiece(text, start);
  }

  /**
   * Evaluates the program.
   *
   * @param more receives each result, and returns whether to continue; results may share parts of
   *     the input
   * @param maxNanos for the whole evaluation
   * @param maxBytes that values, variables and calls may hold at once in addition to the input, as
   *     an estimate
   * @throws JqException when it fails
   * @throws JqLimitException when a limit is reached, or the thread is interrupted
   */
  public void run(JsonNode input, long maxNanos, long maxBytes, Predicate<JsonNode> more) {
    try {
      new JqEvaluator(input, maxNanos, maxBytes).run(node, more);
    } catch (StackOverflowError e) {
      // Only comparing and writing values recurses on the Java stack.
      throw new JqException("a value is nested too deeply");
    }
  }

  /**
   * Extends the time limit of the evaluation on this thread by the time it waited for a lazily
   * loaded value of its input. The caller bounds the wait.
   *
   * @param nanos how long the wait took
   */
  public static void waited(long nanos) {
    JqEvaluator.extend(nanos);
  }
}
