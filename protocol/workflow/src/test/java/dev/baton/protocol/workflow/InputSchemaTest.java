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
