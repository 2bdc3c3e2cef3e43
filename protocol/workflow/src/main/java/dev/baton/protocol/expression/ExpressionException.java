/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

/**
 * An expression that cannot be compiled or has no result. The message names the reason, never the
 * data it worked on.
 */
public final class ExpressionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why. Only {@link #TOO_SLOW} may pass on another attempt; the rest are the same every time. */
  public enum Reason {
    /** It is not jq, or uses what is not available. */
    SYNTAX,
    /** It failed on this data. */
    EVALUATION,
    /** Its result is above {@link Expression#MAX_RESULT_CHARS}. */
    TOO_LARGE,
    /** It ran longer than {@link Expression#MAX_MILLIS}. */
    TOO_SLOW
  }

  private final Reason reason;
  private final String expression;
  private final int line;
  private final int column;

  ExpressionException(Reason reason, String expression, String message, int line, int column) {
    super(message);
    this.reason = reason;
    this.expression = expression;
    this.line = line;
    this.column = column;
  }

  ExpressionException(Reason reason, String expression, String message) {
    this(reason, expression, message, 0, 0);
  }

  public Reason reason() {
    return reason;
  }

  /** The expression's text. */
  public String expression() {
    return expression;
  }

  /** The line within the expression or template, from 1; 0 where it is not known. */
  public int line() {
    return line;
  }

  /** The column within that line, from 1; 0 where it is not known. */
  public int column() {
    return column;
  }

  /** A sentence for a person: the message, then the expression, shortened to 200 characters. */
  public String describe() {
    String text = expression.length() <= 200 ? expression : expression.substring(0, 200) + "…";
    return getMessage() + " in expression: " + text;
  }
}
