/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InputSchemaTest {
  private static JsonNode json(String text) throws IOException {
    return Json.checkedTree(text);
  }

  @Test
  void shouldNameWhatIsWrong() throws IOException {
    InputSchema schema =
        new InputSchema(
            json(
                "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"b\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}"));

    assertThat(schema.validate(json("{\"b\":[1,\"x\"]}")))
        .extracting(v -> v.pointer() + ": " + v.message())
        .containsExactlyInAnyOrder(
            ": required property 'a' not found", "/b/1: string found, integer expected");
    assertThat(schema.validate(json("{\"a\":1,\"b\":[]}"))).isEmpty();
    assertThat(InputSchema.ANY.validate(json("[1]"))).isEmpty();
  }

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "5",
          "-3",
          "0.5",
          "7.0",
          "1e2",
          "1e-5",
          "9223372036854775807",
          "-9223372036854775808",
          "9223372036854775808",
          "9.3e18",
          "123456789012345678901234567890",
          "123456789012345678901234567890.5",
          "2e202",
          "-2e202",
          "1.5e300",
          "1e400",
          "-1e400",
          "123e-400",
          "1e9999");

  private static boolean isAllowed(
      String type, String keyword, BigDecimal limit, BigDecimal number) {
    if (type.equals("integer") && number.stripTrailingZeros().scale() > 0) {
      return false;
    }
    int order = number.compareTo(limit);
    return switch (keyword) {
      case "minimum" -> order >= 0;
      case "exclusiveMinimum" -> order > 0;
      case "maximum" -> order <= 0;
      case "exclusiveMaximum" -> order < 0;
      default -> throw new IllegalArgumentException(keyword);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"})
  void shouldCompareNumbersOfAnySizeExactly(String keyword) throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String type : List.of("integer", "number")) {
      for (String limit : NUMBERS) {
        InputSchema schema =
            new InputSchema(json("{\"type\":\"%s\",\"%s\":%s}".formatted(type, keyword, limit)));
        if (!schema.check().isEmpty()) {
          wrong.add(type + " " + keyword + " " + limit + ": " + schema.check());
          continue;
        }
        for (String number : NUMBERS) {
          String found;
          try {
            found = schema.validate(json(number)).isEmpty() + "";
          } catch (RuntimeException e) {
            found = e.toString();
          }
          String expected =
              isAllowed(type, keyword, new BigDecimal(limit), new BigDecimal(number)) + "";
          if (!found.equals(expected)) {
            wrong.add("%s with %s %s: %s: %s".formatted(type, keyword, limit, number, found));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "maxItems",
        "minItems",
        "maxLength",
        "minLength",
        "maxProperties",
        "minProperties",
        "maxContains",
        "minContains"
      })
  void shouldReadCountsOfAnySize(String keyword) throws IOException {
    for (String count : List.of("2e202", "1e400", "9223372036854775808", "2147483648", "1.0")) {
      InputSchema schema =
          new InputSchema(json("{\"contains\":true,\"%s\":%s}".formatted(keyword, count)));

      if (schema.check().isEmpty()) {
        boolean least = keyword.startsWith("min");
        for (String value : List.of("[1]", "\"a\"", "{\"a\":1}")) {
          boolean counted =
              switch (value.charAt(0)) {
                case '[' -> keyword.endsWith("Items") || keyword.endsWith("Contains");
                case '{' -> keyword.endsWith("Properties");
                default -> keyword.endsWith("Length");
              };
          assertThat(schema.validate(json(value)).isEmpty())
              .as("%s %s: %s", keyword, count, value)
              .isEqualTo(!counted || !least || count.equals("1.0"));
        }
      } else {
        assertThat(schema.check().toString()).contains("a number is too large");
      }
    }
  }

  /** Each must be fast, for any match of the pattern. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "^(.*a){25}$",
        "^(a+)+$",
        "^(a|a)*$",
        "^(a*)*$",
        "(x+x+)+y",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "^(?=(a+)+$).*$",
        "(()|()){40}!b"
      })
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldEndWhateverThePattern(String pattern) throws IOException {
    ObjectNode json = (ObjectNode) json("{\"type\":\"object\",\"properties\":{}}");
    ((ObjectNode) json.get("properties")).putObject("n").put("pattern", pattern);
    InputSchema schema = new InputSchema(json);
    JsonNode value = json("{\"n\":\"" + "a".repeat(64) + "x".repeat(34) + "!\"}");
    assertThat(schema.check()).isEmpty();

    long start = System.nanoTime();
    List<InputSchema.Violation> found = schema.validate(value);

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(found).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      value = {
        "^[a-z]+$ => abc => true",
        "^[a-z]+$ => abC => false",
        "b => abc => true",
        "^\\d{3}-\\w+$ => 123-a_b => true",
        "^\\d$ => ٣ => false",
        "^[\\w.-]+@[\\w-]+$ => a.b@c => true",
        "^[^\\s]+$ => a b => false",
        "^(?=.*[A-Z])(?=.*\\d).{4,}$ => aB3x => true",
        "^(?!x) => xy => false",
        "^(a|b)\\1$ => aa => true",
        "^\\u0041\\x42$ => AB => true",
        "^\\p{Lu}$ => Ä => true",
        "^[a-z&&[b]]+$ => a]] => true",
        "^.$ => 😀 => true"
      })
  void shouldMatchAsJsonSchemaHasIt(String pattern, String text, boolean fits) throws IOException {
    ObjectNode schema = (ObjectNode) json("{}");
    schema.put("pattern", pattern);

    assertThat(new InputSchema(schema).validate(TextNode.valueOf(text)).isEmpty()).isEqualTo(fits);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldBoundReferencesAndSteps() throws IOException {
    JsonNode loop = json("{\"$ref\":\"#\"}");
    JsonNode wide =
        json(
            "{\"$defs\":{\"a\":{\"allOf\":["
                + "{\"items\":{\"$ref\":\"#/$defs/a\"}},".repeat(9)
                + "{}]}},\"$ref\":\"#/$defs/a\"}");

    assertThat(new InputSchema(loop).validate(json("1"))).hasSize(1);
    assertThat(new InputSchema(wide).validate(json("[".repeat(30) + "1" + "]".repeat(30))))
        .isNotEmpty();
  }

  @Test
  void shouldRefuseABrokenPattern() throws IOException {
    assertThat(new InputSchema(json("{\"pattern\":\"(\"}")).check()).isNotEmpty();
    ObjectNode huge = (ObjectNode) json("{}");
    huge.put("maximum", new BigDecimal("1e99999"));
    assertThat(new InputSchema(huge).check()).isNotEmpty();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldCompareNumbersOfEverySize() throws IOException {
    InputSchema multiple = new InputSchema(Json.checkedTree("{\"multipleOf\":1e-9000}"));

    assertThat(multiple.validate(Json.checkedTree("1e9000"))).hasSizeLessThan(2);
    assertThat(multiple.validate(Json.checkedTree("9007199254740993"))).hasSizeLessThan(2);
  }

  @Test
  void shouldNeverFetch() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/s.json";
      assertThat(new InputSchema(json("{\"$ref\":\"" + url + "\"}")).check()).isNotEmpty();
      assertThat(new InputSchema(json("{\"$schema\":\"" + url + "\"}")).check()).isNotEmpty();
      assertThat(new InputSchema(json("{\"$ref\":\"file:///etc/hostname\"}")).check()).isNotEmpty();
      assertThat(asked).hasValue(0);
    } finally {
      server.stop(0);
    }
  }
}
