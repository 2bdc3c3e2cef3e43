/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpressionTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  static final ExpressionScope SCOPE =
      ExpressionScope.of(
          json("{\"name\":\"ada\",\"n\":3,\"list\":[1,2,3]}"),
          json(
              "{\"build\":{\"output\":{\"ok\":true,\"files\":[\"a\",\"b\"]}},\"a-b\":{\"output\":7}}"),
          json("{\"id\":\"01h\",\"branch\":{\"index\":0,\"item\":\"x\"}}"));

  private static final ExpressionScope MANY =
      ExpressionScope.of(
          json("{}"), json("{\"many\":[" + "7,".repeat(9_999) + "7]}"), json("{\"id\":\"01h\"}"));

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        ".input.name => \"ada\"",
        ".steps.build.output.files | length => 2",
        ".steps[\"a-b\"].output => 7",
        ".input.missing => null",
        "empty => null",
        "1, 2, error(\"never reached\") => 1",
        "{n: .input.n, id: .run.id} => {\"n\":3,\"id\":\"01h\"}",
        "[.input.list[] | select(. > 1)] => [2,3]",
        "def twice: . * 2; .input.n | twice => 6",
        "def f($x; g): $x + g; f(1; .input.n) => 4",
        "\"\\(.input.name)!\" => \"ada!\"",
        "reduce .input.list[] as $i (0; . + $i) => 6",
        "\" x \" | trim => \"x\"",
        "try error(\"x\") catch . => \"x\"",
        "[limit(3; range(1000000000000))] => [0,1,2]"
      })
  void shouldEvaluate(String jq, String expected) {
    assertThat(Expression.compile(jq).evaluate(SCOPE)).isEqualTo(json(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "now",
        "env",
        "$ENV",
        "input",
        "inputs",
        "debug",
        "halt",
        "halt_error",
        "input_line_number",
        "$__prog_args",
        "builtins",
        "debug_scope",
        "import \"x\" as x; .",
        "include \"x\"; .",
        "getpath",
        "nosuch(1)",
        "stderr"
      })
  void shouldNotCompileWhatIsNotAvailable(String jq) {
    ExpressionException e = compileError(jq);

    assertThat(e.reason()).isEqualTo(ExpressionException.Reason.SYNTAX);
    assertThat(e.expression()).isEqualTo(jq);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        ".a + => 1",
        "{a: 1 => 1",
        ".a |¶  ) => 2",
        "\"abc => 1",
        "1 + 1e10001 => 1",
        "¶1e11111111111111111 => 2",
        "1e-99999999999 => 1",
        "nosuch => 1",
        "1 | nosuch => 1"
      })
  void shouldSayWhereSyntaxIsWrong(String jq, int line) {
    ExpressionException e = compileError(jq.replace("¶", "\n"));

    assertThat(e.line()).isEqualTo(line);
    assertThat(e.column()).isPositive();
    assertThat(e.getMessage()).isNotBlank();
  }

  @Test
  void shouldPointAtAnUnknownFunction() {
    ExpressionException e = compileError(".input | nosuch(1; 2)");

    assertThat(e).hasMessage("function nosuch/2 does not exist in expressions");
    assertThat(e.column()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "def f: f; f",
        "[.steps.many[] + .steps.many[] + .steps.many[]] | length",
        "reduce (.steps.many[] + .steps.many[]) as $i (0; . + 1)",
        "until(false; .)",
        "last(range(1e18))",
        "(\"a\" * 60 + \"!\") | test(\"^(a+)+$\")",
        "(\"a\" * 60 + \"!\") | test(\"^(a|a)*$\")",
        "[range(300000)] | contains([range(300000)])",
        "last(range(1; 1e15))",
        "reduce range(1e15) as $i (0; . + 1)",
        "[def f: if . > 80 then . else (. + 1 | f), (. + 1 | f) end; 0 | f] | length",
        "try last(range(1e15)) catch 0",
        "[.steps.many[] as $x | .steps.many[] as $y | .steps.many[] as $z | 1] | length",
        "reduce (.steps.many[] as $x | .steps.many[] as $y | .steps.many[] as $z | 1) as $i (0; .)"
      })
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldStopWhatTakesTooLong(String jq) {
    Expression expression = Expression.compile(jq);

    ExpressionException e =
        catchThrowableOfType(ExpressionException.class, () -> expression.evaluate(MANY, 200));

    // On a fast machine, an expression that collects its results reaches the memory limit first.
    assertThat(e.reason())
        .isIn(
            jq.startsWith("[")
                ? List.of(ExpressionException.Reason.TOO_SLOW, ExpressionException.Reason.TOO_LARGE)
                : List.of(ExpressionException.Reason.TOO_SLOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "error(\"boom\")",
        ".input.name | tonumber",
        "1 / 0",
        ".input.name.x",
        "infinite",
        "nan"
      })
  void shouldFailWithItsText(String jq) {
    ExpressionException e = evaluationError(jq);

    assertThat(e.reason()).isEqualTo(ExpressionException.Reason.EVALUATION);
    assertThat(e.describe()).contains(jq);
  }

  @Test
  void shouldBoundTheResult() {
    assertThat(evaluationError("\"x\" * 9000000").reason())
        .isEqualTo(ExpressionException.Reason.TOO_LARGE);
    assertThat(evaluationError("reduce range(600) as $i (0; [.])").reason())
        .isEqualTo(ExpressionException.Reason.TOO_LARGE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"x\" * 1e9",
        "\"x\" * 1e308",
        ".[\"x\"][536870910] = 1",
        "[range(1e18)]",
        "[limit(1e9; repeat(\"x\" * 1000))]",
        "reduce range(100) as $i (\"x\"; . + .)",
        "reduce range(100) as $i ([1]; . + .)",
        "reduce range(100) as $i ([1]; [., .]) | tojson",
        "reduce range(60) as $i (\"x\"; [., .] | join(\"\"))",
        "def f: 1 + f; f"
      })
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldBoundTheMemory(String jq) {
    Expression expression = Expression.compile(jq);

    ExpressionException e =
        catchThrowableOfType(ExpressionException.class, () -> expression.evaluate(SCOPE, 50_000));

    assertThat(e.reason()).isEqualTo(ExpressionException.Reason.TOO_LARGE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>>",
      quoteCharacter = '`',
      value = {
        "\"abc\" | gsub(\"^\"; \"> \") =>> \"> abc\"",
        "\"abc\" | gsub(\"\"; \"-\") =>> \"-a-b-c-\"",
        "\"abc\" | gsub(\"$\"; \"!\") =>> \"abc!\"",
        "\"abc\" | sub(\"\"; \"x\") =>> \"xabc\"",
        "\"ab\" | [splits(\"\")] =>> [\"\",\"a\",\"b\",\"\"]",
        "\"\" | gsub(\"^\"; \"a\") =>> \"a\""
      })
  void shouldReplaceEmptyMatches(String jq, String expected) {
    assertThat(Expression.compile(jq).evaluate(SCOPE)).isEqualTo(json(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        ". as $root | [1, 2] | map(. + $root.input.n) => [4,5]",
        ". as {input: $i} | $i.n => 3",
        "if . then 1 else 2 end => 1",
        "if . == null then . else 7 end => 7",
        ". and true => true",
        ". or false => true",
        "try .input.name.x catch \"no\" => \"no\"",
        "[.input.list[] | if . then . else 0 end] => [1,2,3]",
        "reduce .input.list[] as $x (0; . + $x) => 6",
        "{if: 1, and: 2} | .and + .if => 3"
      })
  void shouldTakeADotBeforeAKeyword(String jq, String expected) {
    assertThat(Expression.compile(jq).evaluate(SCOPE)).isEqualTo(json(expected));
  }

  @Test
  void shouldReportABadPatternOfTheData() {
    ExpressionException e = evaluationError("\"(\" as $p | .input.name | test($p)");

    assertThat(e.reason()).isEqualTo(ExpressionException.Reason.EVALUATION);
    assertThat(e).hasMessageContaining("is not a valid regex");
  }

  @Test
  void shouldEndWhenItsThreadIsInterrupted() {
    Expression expression = Expression.compile("last(range(1e18))");
    Thread.currentThread().interrupt();

    ExpressionException e =
        catchThrowableOfType(ExpressionException.class, () -> expression.evaluate(SCOPE, 50_000));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(e).hasMessage("was interrupted");
  }

  @Test
  void shouldRecurseWithoutAStack() {
    assertThat(
            Expression.compile("def f: if . < 100000 then . + 1 | f else . end; 0 | f")
                .evaluate(SCOPE))
        .isEqualTo(json("100000"));
    assertThat(
            Expression.compile("def f: if . < 20000 then 1 + (. + 1 | f) else 0 end; 0 | f")
                .evaluate(SCOPE))
        .isEqualTo(json("20000"));
  }

  @Test
  void shouldBoundTheText() {
    assertThat(compileError("1 + ".repeat(5_000) + "1")).hasMessageContaining("at most 16384");
    assertThat(compileError("(".repeat(1_000) + "1" + ")".repeat(1_000)))
        .hasMessageContaining("nested");
    assertThat(compileError(" ")).hasMessageContaining("empty");
  }

  @Test
  void shouldNotChangeTheScope() {
    String before = SCOPE.root().toString();

    Expression.compile(".steps.build.output.ok = false | .input.list += [4] | del(.run)")
        .evaluate(SCOPE);

    assertThat(SCOPE.root()).hasToString(before);
  }

  @Test
  void shouldTestAsJqDoes() {
    assertThat(Expression.compile(".steps.build.output.ok").test(SCOPE)).isTrue();
    assertThat(Expression.compile("0").test(SCOPE)).isTrue();
    assertThat(Expression.compile("empty").test(SCOPE)).isFalse();
    assertThat(Expression.compile("null").test(SCOPE)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        ".steps.a.output => steps.a.output",
        ".steps[\"a-b\"].output + .steps.\"c\".output => steps.a-b.output steps.c.output",
        ".[\"steps\"][\"a\"] => steps.a",
        ".input.x as $x | .steps.a => input.x steps.a",
        ".input | .steps.a => input",
        "(.input | .x), .steps.a => input steps.a",
        ".input.list | map(.steps.a) => input.list",
        "map(.steps.a) => ``",
        "[.input.list[] | select(.steps)] => input.list",
        "select(.input.ok) => input.ok",
        "{a: .steps.a, b: (.input.b | .c), steps: 1} => steps.a input.b",
        "if .input.a then .input.b | .c elif .input.d then .input.e else .input.f end => input.a input.b input.d input.e input.f",
        "reduce .input.l[] as $i (.input.zero; .steps.x) | .steps.y => input.l input.zero",
        "reduce (.input.l[]) as $i (.input.zero; .steps.x) | .steps.y => input.l input.zero",
        "def f: .steps.x; .input.a => input.a",
        "\"v\\(.input.v)\" => input.v",
        ".input.a | \"v\\(.steps.v)\" => input.a",
        "\".steps.x\" => ``",
        "# .steps.x¶.input.a => input.a",
        ".steps.a.output[.input.i] => steps.a.output input.i",
        ".input.a // .input.b => input.a input.b",
        ".x => x",
        "try .input.a catch .steps.b => input.a",
        "[.steps.a?, .steps.b.c?] => steps.a steps.b.c",
        "first(.steps.a.output[]) => steps.a.output",
        "label $out | .input.a => input.a",
        "-.input.n => input.n",
        ".. | .steps => ``"
      })
  void shouldKnowWhatItCertainlyRefersTo(String jq, String expected) {
    List<String> found =
        Expression.compile(jq.replace("¶", "\n")).references().stream()
            .map(r -> String.join(".", r.path()))
            .toList();

    assertThat(String.join(" ", found)).isEqualTo(expected == null ? "" : expected);
  }

  @Test
  void shouldSayWhereAReferenceIs() {
    ScopeReference reference = Expression.compile("1 +\n  .steps.a").references().getFirst();

    assertThat(reference.line()).isEqualTo(2);
    assertThat(reference.column()).isEqualTo(3);
  }

  private static ExpressionException compileError(String jq) {
    return catchThrowableOfType(ExpressionException.class, () -> Expression.compile(jq));
  }

  private static ExpressionException evaluationError(String jq) {
    Expression expression = Expression.compile(jq);
    return catchThrowableOfType(ExpressionException.class, () -> expression.evaluate(SCOPE));
  }
}
