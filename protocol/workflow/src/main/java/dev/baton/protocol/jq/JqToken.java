/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import java.util.List;

/**
 * A token of a program.
 *
 * @param text the name of a field or variable without its dot or dollar sign; an operator as
 *     written
 * @param parts only of a {@link Kind#STRING}
 * @param offset of its first character
 * @param end after its last character
 */
record JqToken(Kind kind, String text, List<Part> parts, int offset, int end) {
  enum Kind {
    FIELD,
    NAME,
    KEYWORD,
    VARIABLE,
    FORMAT,
    NUMBER,
    STRING,
    OPERATOR,
    END
  }

  /** A piece of a string literal. */
  sealed interface Part {
    record Text(String text) implements Part {}

    record Code(List<JqToken> tokens) implements Part {}
  }

  boolean is(String operatorOrKeyword) {
    return (kind == Kind.OPERATOR || kind == Kind.KEYWORD) && text.equals(operatorOrKeyword);
  }
}
