/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonValueChecker;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A live run and the fold of its log see the same value for unusual JSON. */
class OddJsonTest {
  private static final int TRIPS = 3;

  @ParameterizedTest
  @CsvSource(
      value = {
        "1e400,1E+400",
        "-1E-400,-1E-400",
        "9007199254740993,9007199254740993",
        "18446744073709551616,18446744073709551616",
        "0.1,0.1",
        "1.10,1.1",
        "-0,0",
        "-0.0,0.0",
        "1e23,1.0E23",
        "3.14159265358979323846264338327950288,3.14159265358979323846264338327950288",
        "1e10000,1E+10000",
        "4.9e-324,4.9E-324"
      })
  void shouldKeepNumbers(String text, String kept) throws IOException {
    JsonNode value = Json.checkedTree("{\"n\":" + text + "}");

    assertThat(value.get("n").isNumber()).isTrue();
    assertThat(value.get("n")).hasToString(kept);
    assertThat(trip(value)).isEqualTo(value);
    assertThat(value.get("n").decimalValue()).isEqualByComparingTo(new BigDecimal(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e10001",
        "1e999999999",
        "1e-999999999",
        "1e99999999999",
        "NaN",
        "Infinity",
        "-Infinity",
        "\"\\ud800\"",
        "\"a\\udc00b\"",
        "{\"\\ud83d\":1}",
        "",
        " ",
        "01",
        "1 2"
      })
  @Timeout(30)
  void shouldRefuseWhatCannotBeKept(String text) {
    assertThatThrownBy(() -> Json.checkedTree(text)).isInstanceOf(JsonProcessingException.class);
    assertThatThrownBy(() -> Json.checkedTree(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonProcessingException.class);
  }

  @Test
  @Timeout(30)
  void shouldRefuseDepthThatReadersRefuse() throws IOException {
    int deepest = JsonValueChecker.MAX_DEPTH;
    JsonNode deep = Json.checkedTree("[".repeat(deepest) + "]".repeat(deepest));

    assertThat(trip(deep)).isEqualTo(deep);
    for (int depth : new int[] {deepest + 1, 999, 1_001, 10_000}) {
      assertThatThrownBy(() -> Json.checkedTree("[".repeat(depth) + "]".repeat(depth)))
          .isInstanceOf(JsonProcessingException.class);
    }
  }

  @Test
  void shouldTakeTheLastOfTwoNames() throws IOException {
    JsonNode value = Json.checkedTree("{\"a\":1,\"b\":2,\"a\":3}");

    assertThat(value).hasToString("{\"a\":3,\"b\":2}");
  }

  @Property(tries = 2_000)
  void shouldReadWhatWasWritten(@ForAll("odd") String text) throws IOException {
    JsonNode value = Json.checkedTree(text);
    JsonNode back = trip(value);

    assertThat(back).isEqualTo(value);
    assertThat(Json.bytes(back)).isEqualTo(Json.bytes(value));
    for (String jq :
        new String[] {".input", ".input | type", ".input | tojson", "[.input] | sort"}) {
      assertThat(evaluate(jq, back)).isEqualTo(evaluate(jq, value));
    }
  }

  private static JsonNode evaluate(String jq, JsonNode input) {
    JsonNode none = JsonNodeFactory.instance.objectNode();
    return Expression.compile(jq).evaluate(ExpressionScope.of(input, none, none));
  }

  /** Writes the value into an event and reads it back, several times. */
  private static JsonNode trip(JsonNode value) {
    JsonNode now = value;
    for (int i = 0; i < TRIPS; i++) {
      byte[] event = Json.bytes(new TraceEvent.RunCompleted(new Output.Inline(now)));
      TraceEvent.RunCompleted read = Json.read(event, TraceEvent.RunCompleted.class);
      if (!(read.output() instanceof Output.Inline(JsonNode inline))) {
        throw new AssertionError("no output in " + read);
      }
      now = inline;
    }
    return now;
  }

  @Provide
  Arbitrary<String> odd() {
    return Arbitraries.lazyOf(
        this::numbers,
        this::numbers,
        this::texts,
        () -> odd().list().ofMaxSize(4).map(all -> "[" + String.join(",", all) + "]"),
        () ->
            Combinators.combine(texts(), odd(), texts(), odd())
                .as(
                    (a, x, b, y) ->
                        "{" + a + ":" + x + "," + b + ":" + y + "," + a + ":" + y + "}"));
  }

  private Arbitrary<String> numbers() {
    Arbitrary<String> decimals =
        Combinators.combine(
                Arbitraries.bigIntegers()
                    .between(BigInteger.TEN.pow(60).negate(), BigInteger.TEN.pow(60)),
                Arbitraries.integers().between(-9_900, 9_900))
            .as((digits, exponent) -> digits + "e" + exponent);
    Arbitrary<String> doubles =
        Arbitraries.longs()
            .map(Double::longBitsToDouble)
            .filter(Double::isFinite)
            .map(d -> Double.toString(d));
    return Arbitraries.oneOf(
        decimals,
        doubles,
        Arbitraries.longs().map(l -> Long.toString(l)),
        Arbitraries.of("-0", "0.0", "-0.0", "0e5", "1e400", "1E-400", "9007199254740993"));
  }

  private Arbitrary<String> texts() {
    return Arbitraries.strings()
        .ofMaxLength(12)
        .map(text -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .map(text -> new String(Json.bytes(text), StandardCharsets.UTF_8));
  }

  private record Request(@Nullable JsonNode input, @Nullable JsonNode definition) {}

  @Test
  void shouldTellAMemberThatIsNotThereFromNull() throws IOException {
    Request request = Json.mapper().readValue("{\"input\": null}", Request.class);

    assertThat(request.input()).isEqualTo(NullNode.getInstance());
    assertThat(request.definition()).isNull();
  }
}
