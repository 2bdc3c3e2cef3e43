/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

/** A position in a text; line and column from 1. */
record ExpressionPosition(int line, int column) {
  static ExpressionPosition of(String text, int offset) {
    int line = 1;
    int start = 0;
    for (int i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) {
      line++;
      start = i + 1;
    }
    return new ExpressionPosition(line, offset - start + 1);
  }

  /** Converts a position in a text that starts here to one in the outer text. */
  ExpressionPosition plus(ExpressionPosition inner) {
    return inner.line() == 1
        ? new ExpressionPosition(line, column + inner.column() - 1)
        : new ExpressionPosition(line + inner.line() - 1, inner.column());
  }
}
