/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import dev.baton.protocol.json.TextShortener;

/**
 * An expression cannot be compiled or has no result. The message names the reason, never the data.
 */
public final class ExpressionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * The kind of failure. Only {@link #TOO_SLOW} may succeed on another attempt; the others always
   * recur.
   */
  public enum Reason {
    /** It is not valid jq, or uses an unavailable function or variable. */
    SYNTAX,
    /** It failed on this data. */
    EVALUATION,
    /** Its result is larger than {@link Expression#MAX_RESULT_CHARS}. */
    TOO_LARGE,
    /** It exceeded {@link Expression#MAX_MILLIS}. */
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

  /** Returns the expression's text. */
  public String expression() {
    return expression;
  }

  /** Returns the line within the expression or template, from 1; 0 where unknown. */
  public int line() {
    return line;
  }

  /** Returns the column within that line, from 1; 0 where unknown. */
  public int column() {
    return column;
  }

  /**
   * Returns a sentence for a person: the message, then the expression, shortened to 200 characters.
   */
  public String describe() {
    String text = TextShortener.shorten(expression, 200);
    return getMessage() + " in expression: " + text;
  }
}
