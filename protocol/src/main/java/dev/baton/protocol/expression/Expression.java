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
import java.util.List;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.exception.JsonQueryException;
import org.jspecify.annotations.Nullable;

/**
 * A compiled jq expression. Pure: the same scope always gives the same result; there is no clock,
 * environment, file or network in it. Thread-safe; compiled once per text (the newest {@value
 * ExpressionCache#SIZE} are kept). Equal when the texts are.
 */
public final class Expression {
  /** Characters an expression may have. */
  public static final int MAX_LENGTH = 16 * 1024;

  /** Characters of JSON a result may have, estimated from below. */
  public static final int MAX_RESULT_CHARS = 8 * 1024 * 1024;

  /**
   * Milliseconds an evaluation may take. Checked at every function call, every value that passes a
   * pipe and every number that {@code range} yields. Not checked inside a regular expression, nor
   * where streams are multiplied by operators or constructors alone, such as {@code .a[] + .b[]}.
   */
  public static final int MAX_MILLIS = 5_000;

  private static final ExpressionCache CACHE = new ExpressionCache();

  private final String text;
  private final JsonQuery query;
  private final List<Reference> references;

  private Expression(String text, JsonQuery query, List<Reference> references) {
    this.text = text;
    this.query = query;
    this.references = references;
  }

  /**
   * @param jq at most {@link #MAX_LENGTH} characters
   * @throws ExpressionException when it is not jq, or names a function or variable that is not
   *     available
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
    Scan scan = Scanner.scan(jq);
    JsonQuery query = JqSyntax.check(jq);
    scan.throwFirstProblem(jq);
    // The text itself goes first: errors must be about what was written.
    JsonQuery instrumented =
        scan.instrumented().equals(jq) ? query : JqSyntax.check(scan.instrumented());
    return new Expression(jq, instrumented, scan.references());
  }

  /**
   * The first result; JSON null where there is none. It may share parts of the scope: treat it as
   * immutable.
   *
   * @throws ExpressionException when it fails, its result is too large, or it takes too long
   */
  public JsonNode evaluate(Scope scope) {
    return evaluate(scope, MAX_MILLIS);
  }

  JsonNode evaluate(Scope scope, int maxMillis) {
    FirstResult first = new FirstResult();
    Budget.start(maxMillis);
    try {
      query.apply(JqScope.child(), scope.root(), first);
    } catch (FirstResult.Taken taken) {
      // Not an error: jq would go on for results nobody asked for.
      return checked(first.value());
    } catch (Budget.Spent spent) {
      throw new ExpressionException(Reason.TOO_SLOW, text, "took longer than " + maxMillis + " ms");
    } catch (StackOverflowError e) {
      throw new ExpressionException(Reason.EVALUATION, text, "recursion is too deep");
    } catch (JsonQueryException e) {
      throw new ExpressionException(Reason.EVALUATION, text, message(e));
    } catch (IllegalArgumentException
        | ArithmeticException
        | IndexOutOfBoundsException
        | ClassCastException e) {
      // The library lets some bad arguments through to the JDK; for the workflow's author they are
      // failures like any other.
      throw new ExpressionException(Reason.EVALUATION, text, message(e));
    } finally {
      Budget.end();
    }
    return NullNode.getInstance();
  }

  private JsonNode checked(JsonNode result) {
    ResultCheck.check(text, result);
    return result;
  }

  private static String message(Exception e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return "failed with " + e.getClass().getSimpleName();
    }
    return message.length() <= 500 ? message : message.substring(0, 500) + "…";
  }

  /**
   * {@link #evaluate} as a condition: false for {@code false} and null, as jq has it, true for
   * everything else.
   *
   * @throws ExpressionException as {@link #evaluate}
   */
  public boolean test(Scope scope) {
    JsonNode result = evaluate(scope);
    return !(result.isNull() || (result.isBoolean() && !result.booleanValue()));
  }

  public String text() {
    return text;
  }

  /**
   * What it is certain to read from its scope, in order of appearance. Not complete: computed names
   * and values behind a pipe are not seen.
   */
  public List<Reference> references() {
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
