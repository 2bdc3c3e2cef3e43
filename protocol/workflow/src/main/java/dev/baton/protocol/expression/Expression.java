/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.expression.ExpressionException.Reason;
import dev.baton.protocol.jq.JqException;
import dev.baton.protocol.jq.JqLimitException;
import dev.baton.protocol.jq.JqProgram;
import dev.baton.protocol.jq.JqSyntaxException;
import dev.baton.protocol.json.TextShortener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled jq expression. Pure: the same scope always yields the same result, since expressions
 * cannot read a clock, the environment, files or the network. Thread-safe; compiled once per text
 * (the newest {@value ExpressionCache#SIZE} are cached). Equal when the texts are.
 */
public final class Expression {
  /** Maximum characters of an expression. */
  public static final int MAX_LENGTH = 16 * 1024;

  /** Maximum characters of a result as JSON; the estimate is never too high. */
  public static final int MAX_RESULT_CHARS = 8 * 1024 * 1024;

  /**
   * Time limit of an evaluation, in milliseconds. Checked every few hundred steps, also within
   * functions and regular expressions.
   */
  public static final int MAX_MILLIS = 5_000;

  /**
   * Maximum bytes that the values, variables and calls of an evaluation may hold at once, without
   * its scope, as an estimate. Garbage does not count.
   */
  public static final long MAX_MEMORY_BYTES = 64L * 1024 * 1024;

  private static final ExpressionCache CACHE = new ExpressionCache();

  private final String text;
  private final JqProgram program;
  private final List<ScopeReference> references;

  private Expression(String text, JqProgram program, List<ScopeReference> references) {
    this.text = text;
    this.program = program;
    this.references = references;
  }

  /**
   * @param jq at most {@link #MAX_LENGTH} characters
   * @throws ExpressionException when it is not valid jq, or uses an unknown function or variable
   */
  public static Expression compile(String jq) {
    return CACHE.get(jq, Expression::compileNew);
  }

  private static Expression compileNew(String jq) {
    if (jq.length() > MAX_LENGTH) {
      throw new ExpressionException(
          Reason.SYNTAX,
          jq,
          "the expression has "
              + jq.length()
              + " characters, at most "
              + MAX_LENGTH
              + " are allowed");
    }
    if (jq.isBlank()) {
      throw new ExpressionException(Reason.SYNTAX, jq, "the expression is empty", 1, 1);
    }
    try {
      JqProgram program = JqProgram.compile(jq);
      List<ScopeReference> references =
          program.references().stream()
              .map(
                  reference -> {
                    ExpressionPosition at = ExpressionPosition.of(jq, reference.offset());
                    return new ScopeReference(reference.path(), at.line(), at.column());
                  })
              .toList();
      return new Expression(jq, program, references);
    } catch (JqSyntaxException e) {
      ExpressionPosition at = ExpressionPosition.of(jq, e.offset());
      throw new ExpressionException(
          Reason.SYNTAX, jq, readable(String.valueOf(e.getMessage())), at.line(), at.column());
    }
  }

  private static String readable(String message) {
    return message.startsWith("unexpected") || message.startsWith("it ends")
        ? "not valid jq: " + message
        : message;
  }

  /**
   * Returns the first result; JSON null where there is none. It may share parts of the scope: treat
   * it as immutable.
   *
   * @throws ExpressionException when it fails, its result is too large, it exceeds its time or
   *     memory limit, or the thread is interrupted (its interrupt flag stays set)
   */
  public JsonNode evaluate(ExpressionScope scope) {
    return evaluate(scope, MAX_MILLIS);
  }

  JsonNode evaluate(ExpressionScope scope, int maxMillis) {
    JsonNode[] first = {NullNode.getInstance()};
    try {
      program.run(
          scope.root(),
          maxMillis * 1_000_000L,
          MAX_MEMORY_BYTES,
          result -> {
            first[0] = result;
            return false;
          });
    } catch (JqLimitException e) {
      throw switch (e.bound()) {
        case TIME ->
            new ExpressionException(Reason.TOO_SLOW, text, "took longer than " + maxMillis + " ms");
        case MEMORY ->
            new ExpressionException(
                Reason.TOO_LARGE,
                text,
                "needs more than " + MAX_MEMORY_BYTES / 1024 / 1024 + " MiB of memory");
        case INTERRUPTED -> new ExpressionException(Reason.TOO_SLOW, text, "was interrupted");
      };
    } catch (JqException e) {
      throw new ExpressionException(Reason.EVALUATION, text, message(e));
    }
    return checked(first[0]);
  }

  private JsonNode checked(JsonNode result) {
    ExpressionResultChecker.check(text, result);
    return result;
  }

  private static String message(JqException e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return "failed";
    }
    return TextShortener.shorten(message, 500);
  }

  /**
   * Evaluates a condition: false for {@code false} and null, as in jq, true for everything else.
   *
   * @throws ExpressionException as {@link #evaluate}
   */
  public boolean test(ExpressionScope scope) {
    JsonNode result = evaluate(scope);
    return !(result.isNull() || (result.isBoolean() && !result.booleanValue()));
  }

  public String text() {
    return text;
  }

  /**
   * Returns the values that it certainly reads from its scope, in order of appearance. Not
   * complete: computed names and values after a pipe are not found.
   */
  public List<ScopeReference> references() {
    return references;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Expression that && that.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
