/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ExpressionPropertyTest {
  /** Fragments of valid and invalid jq. None of them can loop. */
  private static final List<String> BITS =
      List.of(
          ".",
          "..",
          "input",
          ".steps",
          ".a",
          "[",
          "]",
          "(",
          ")",
          "{",
          "}",
          "|",
          ",",
          ";",
          ":",
          "\"",
          "\\(",
          "\\",
          "$x",
          " as ",
          "if ",
          " then ",
          " else ",
          " end",
          "reduce ",
          "def f: ",
          "?",
          "//",
          "|=",
          "+",
          "1",
          "1e9",
          "@text",
          "select(",
          "map(",
          "#",
          "\n",
          "label $x",
          "try ",
          " catch ",
          "-",
          "\u00e9",
          "\u0000",
          "::",
          "${{",
          "}}");

  @Property(tries = 3_000)
  void shouldCompileOrSayWhyNot(@ForAll("texts") String text) {
    try {
      Expression.compile(text).evaluate(ExpressionTest.SCOPE);
    } catch (ExpressionException expected) {
      expected.describe();
    }
    try {
      Template.compile("a ${{" + text + "}} b").render(ExpressionTest.SCOPE);
    } catch (ExpressionException expected) {
      expected.describe();
    }
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> made =
        Arbitraries.of(BITS).list().ofMaxSize(14).map(bits -> String.join("", bits));
    return Arbitraries.oneOf(made, Arbitraries.strings().ofMaxLength(30));
  }
}
