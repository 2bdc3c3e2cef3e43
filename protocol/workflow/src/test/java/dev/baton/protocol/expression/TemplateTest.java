/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import static dev.baton.protocol.expression.ExpressionTest.SCOPE;
import static dev.baton.protocol.expression.ExpressionTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        "plain => \"plain\"",
        "${{ .input.n }} => 3",
        "${{ .steps.build.output }} => {\"ok\":true,\"files\":[\"a\",\"b\"]}",
        "n=${{ .input.n }} => \"n=3\"",
        "${{ .input.name }}${{ .input.n }} => \"ada3\"",
        "files: ${{ .steps.build.output.files }} => \"files: [\\\"a\\\",\\\"b\\\"]\"",
        "none: ${{ .input.none }}. => \"none: .\"",
        "half: ${{ .input.n / 2 }}, whole: ${{ .input.n * 2.0 }} => \"half: 1.5, whole: 6\"",
        "$${{ not jq }} => \"${{ not jq }}\"",
        "${{ \"}}\" }}! => \"}}!\"",
        "${{ {a: {b: 1}} }} => {\"a\":{\"b\":1}}",
        "${{ {a: {b: 1}}}} => {\"a\":{\"b\":1}}",
        "$ {{ }} } => \"$ {{ }} }\""
      })
  void shouldEvaluate(String template, String expected) {
    assertThat(Template.compile(template).evaluate(SCOPE)).isEqualTo(json(expected));
  }

  @Test
  void shouldSayWhereAPieceIsWrong() {
    ExpressionException open = error("a\nb ${{ .x");
    ExpressionException jq = error("a\nbc ${{ .x + }}");

    assertThat(open).hasMessage("'${{' is not closed by '}}'");
    assertThat(open.line()).isEqualTo(2);
    assertThat(jq.line()).isEqualTo(2);
    assertThat(jq.column()).isGreaterThan(3);
  }

  @Test
  void shouldPlaceReferencesInTheTemplate() {
    ScopeReference reference = Template.compile("x\ny: ${{ .steps.a }}").references().getFirst();

    assertThat(reference.line()).isEqualTo(2);
    assertThat(reference.column()).isEqualTo(8);
  }

  @Test
  void shouldEvaluateTrees() {
    TemplateTree tree =
        new TemplateTree.Members(
            Map.of(
                "a",
                new TemplateTree.Items(
                    List.of(
                        new TemplateTree.Text(Template.compile("${{ .input.n }}")),
                        new TemplateTree.Text(Template.compile("n${{ .input.n }}")),
                        new TemplateTree.Value(json("true")))),
                "${{ b }}",
                new TemplateTree.Value(json("null"))));

    assertThat(tree.evaluate(SCOPE)).isEqualTo(json("{\"a\":[3,\"n3\",true],\"${{ b }}\":null}"));
  }

  private static ExpressionException error(String template) {
    return catchThrowableOfType(ExpressionException.class, () -> Template.compile(template));
  }

  @Test
  void shouldPutSecretsInAfterTheEvaluation() {
    Template template = Template.compile("Bearer ${{secrets.npm}}/${{ .input.n }}");

    assertThat(template.secrets()).containsExactly(new SecretPlaceholder("npm", 1, 11));
    assertThat(template.references()).hasSize(1);
    assertThat(template.isFixed()).isFalse();
    assertThat(template.render(SCOPE, name -> "<" + name + " ${{ .input.n }}>"))
        .isEqualTo("Bearer <npm ${{ .input.n }}>/3");
    assertThat(Template.compile("${{ secrets.npm }}").evaluate(SCOPE, name -> "123").textValue())
        .isEqualTo("123");
  }
}
