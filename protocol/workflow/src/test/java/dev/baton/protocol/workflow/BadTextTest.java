/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads text that is not a tree, and arbitrary text. */
class BadTextTest {
  private static final String GOOD =
      """
      name: good
      input: {type: object, properties: {n: {type: integer}}}
      steps:
        - id: a
          shell: echo "$N"
          env: {N: "${{ .input.n }}"}
          next: [{when: .steps.a.output, to: b}, {to: end}]
        - id: b
          parallel: {over: .steps.a.output, steps: [{id: c, transform: .run.branch.item}]}
        - {id: d, approval: {prompt: ok, timeout: 1h, default: {approved: true}}}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        "name: w¶steps: *x¶ => line 2, column 8: the alias '*x' is not allowed; allowed: values written out",
        "name: &x w¶ => line 1, column 7: the anchor '&x' is not allowed; allowed: values written out",
        "name: !!str w¶ => line 1, column 7: the tag 'tag:yaml.org,2002:str' is not allowed; allowed: plain values",
        "a: 1¶---¶b: 2¶ => line 3, column 1: there is a second document; allowed: one document; remove '---'",
        "# nothing => line 1, column 1: the definition is empty; allowed: a mapping with name and steps",
        "a:¶→b: 1¶ => line 2, column 1: not valid YAML: a tab cannot be used for indentation, use spaces",
        "[a, b]: 1¶ => line 1, column 1: a key must be text; allowed: key: value",
        "a: 1e10001¶ => line 1, column 4: the number is too large or too long; allowed: numbers of at most 100 characters within 1e10000, or text in quotes"
      })
  void shouldSayWhatIsWrongWithYaml(String text, String problem) {
    String yaml = text.replace('¶', '\n').replace('→', '\t');

    assertThat(BadDefinitionsTest.problems(yaml, DefinitionFormat.YAML)).containsExactly(problem);
  }

  @Test
  void shouldReportEveryDuplicateKey() {
    assertThat(
            BadDefinitionsTest.problems(
                "name: w\nname: v\nsteps:\n- {id: a, id: b, transform: '1'}\n",
                DefinitionFormat.YAML))
        .containsExactly(
            "line 2, column 1: the key 'name' is given twice; allowed: each key once",
            "line 4, column 11: the key 'id' is given twice; allowed: each key once");
  }

  @Test
  void shouldPlaceProblemsInJson() {
    String json =
        "{\n  \"name\": \"w\",\n  \"steps\": [{\"id\": \"a\", \"transform\": \".steps.b\"}]\n}";

    assertThat(BadDefinitionsTest.problems(json, DefinitionFormat.JSON))
        .containsExactly(
            "line 3, column 39 (step a, steps[0].transform): unknown step 'b' (.steps.b); allowed: no step has run before this one");
    assertThat(BadDefinitionsTest.problems("{\"a\":1,\"a\":2", DefinitionFormat.JSON)).hasSize(2);
    assertThat(BadDefinitionsTest.problems("{} {}", DefinitionFormat.JSON)).hasSize(1);
    assertThat(BadDefinitionsTest.problems("", DefinitionFormat.JSON)).hasSize(1);
    assertThat(BadDefinitionsTest.problems("[".repeat(100_000), DefinitionFormat.JSON)).hasSize(1);
  }

  @Test
  void shouldBoundSizeAndDepth() {
    assertThat(BadDefinitionsTest.problems("x".repeat(2 * 1024 * 1024), DefinitionFormat.YAML))
        .containsExactly("the definition has 2097152 bytes; allowed: at most 1048576");
    assertThat(BadDefinitionsTest.problems("[".repeat(100_000), DefinitionFormat.YAML)).hasSize(1);
    assertThat(BadDefinitionsTest.problems("- ".repeat(1_000), DefinitionFormat.YAML)).hasSize(1);
    assertThat(
            ((WorkflowParseResult.Invalid)
                    WorkflowParser.parse(
                        new byte[] {'a', '\n', 'b', (byte) 0xff}, DefinitionFormat.YAML))
                .problems()
                .getFirst()
                .describe())
        .isEqualTo("line 2, column 2: the definition is not UTF-8 here; allowed: UTF-8");
  }

  @Property(tries = 2_000)
  void shouldNeverThrowOnBytes(@ForAll byte[] bytes) {
    assertThat(WorkflowParser.parse(bytes, DefinitionFormat.YAML))
        .isInstanceOf(WorkflowParseResult.Invalid.class);
    assertThat(WorkflowParser.parse(bytes, DefinitionFormat.JSON))
        .isInstanceOf(WorkflowParseResult.Invalid.class);
  }

  /** A text that is still valid after a change must have a stable canonical form. */
  @Property(tries = 3_000)
  void shouldJudgeEveryMutation(@ForAll("mutations") String text) {
    if (WorkflowParser.parse(text, DefinitionFormat.YAML)
        instanceof WorkflowParseResult.Valid valid) {
      WorkflowParseResult again =
          WorkflowParser.parse(WorkflowParser.bytes(valid.canonical()), DefinitionFormat.JSON);
      assertThat(again).isInstanceOf(WorkflowParseResult.Valid.class);
      assertThat(((WorkflowParseResult.Valid) again).hash()).isEqualTo(valid.hash());
      assertThat(((WorkflowParseResult.Valid) again).workflow()).isEqualTo(valid.workflow());
      assertThat(Workflow.fromCanonical(valid.canonical())).isEqualTo(valid.workflow());
    }
  }

  @Provide
  Arbitrary<String> mutations() {
    Arbitrary<String> bits =
        Arbitraries.oneOf(
            Arbitraries.of(
                List.of(
                    "",
                    " ",
                    "\n",
                    "  ",
                    ":",
                    "- ",
                    "{",
                    "}",
                    "[",
                    "]",
                    "'",
                    "\"",
                    "${{",
                    "}}",
                    "id",
                    "a",
                    "b",
                    "1",
                    "null",
                    "~",
                    "true",
                    "|",
                    ">",
                    "&a",
                    "*a",
                    "!!x",
                    "%YAML 9.9\n",
                    "\t",
                    "#",
                    "?",
                    "\\x",
                    "\u2028",
                    "\ufeff")),
            Arbitraries.strings().ofMaxLength(3));
    Arbitrary<Integer> at = Arbitraries.integers().between(0, GOOD.length() - 1);
    Arbitrary<Integer> length = Arbitraries.integers().between(0, 12);
    return Combinators.combine(at, length, bits)
        .as(
            (from, cut, bit) ->
                GOOD.substring(0, from)
                    + bit
                    + GOOD.substring(Math.min(GOOD.length(), from + cut)));
  }

  @Property(tries = 1_000)
  void shouldJudgeRandomYaml(@ForAll("yaml") String text) {
    WorkflowParseResult parsed = WorkflowParser.parse(text, DefinitionFormat.YAML);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Invalid.class);
    assertThat(((WorkflowParseResult.Invalid) parsed).problems()).isNotEmpty();
  }

  @Provide
  Arbitrary<String> yaml() {
    return Arbitraries.of(
            List.of(
                "steps:",
                "name: x",
                "\n",
                "\n  ",
                "- ",
                "id: a",
                "shell: 1",
                "[",
                "{",
                ", ",
                "]",
                "}",
                "next: ",
                "input: ",
                "!",
                "%",
                "@",
                "`",
                "\"",
                "<<: "))
        .list()
        .ofMaxSize(30)
        .map(bits -> String.join("", bits));
  }
}
