/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import dev.baton.protocol.jq.JqToken.Kind;
import dev.baton.protocol.json.TextShortener;
import java.util.List;

/** Reads the tokens of a program, and limits its nesting. */
abstract class JqTokenReader {
  /** Maximum nesting of groups. */
  private static final int MAX_DEPTH = 200;

  final String text;
  final List<JqToken> tokens;
  int at;
  int depth;

  JqTokenReader(String text, List<JqToken> tokens, int depth) {
    this.text = text;
    this.tokens = tokens;
    this.depth = depth;
  }

  final JqToken peek() {
    return tokens.get(at);
  }

  final JqToken next() {
    return tokens.get(peek().kind() == Kind.END ? at : at++);
  }

  final boolean accept(String word) {
    if (peek().is(word)) {
      at++;
      return true;
    }
    return false;
  }

  final void expect(String word) {
    if (!accept(word)) {
      throw unexpected();
    }
  }

  final JqSyntaxException unexpected() {
    JqToken token = peek();
    if (token.kind() == Kind.END && token.text().isEmpty()) {
      return new JqSyntaxException("it ends too early", token.offset());
    }
    String shown = text.substring(token.offset(), Math.max(token.end(), token.offset() + 1));
    return new JqSyntaxException(
        "unexpected '" + TextShortener.shorten(shown, 40) + "'", token.offset());
  }

  final void enter() {
    if (++depth > MAX_DEPTH) {
      throw new JqSyntaxException(
          "the expression is nested more than " + MAX_DEPTH + " deep", peek().offset());
    }
  }
}
