/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import dev.baton.protocol.expression.ExpressionException.Reason;
import java.util.List;

/**
 * What reading an expression's tokens tells, beyond whether it parses.
 *
 * @param instrumented the expression with a tick at the head of every function it defines and after
 *     every pipe
 * @param problems uses of what is not available, in order of appearance
 */
record Scan(List<Reference> references, String instrumented, List<Unavailable> problems) {
  record Unavailable(String message, int offset) {}

  void throwFirstProblem(String jq) {
    if (!problems.isEmpty()) {
      Unavailable first = problems.getFirst();
      Position at = Position.of(jq, first.offset());
      throw new ExpressionException(Reason.SYNTAX, jq, first.message(), at.line(), at.column());
    }
  }
}
