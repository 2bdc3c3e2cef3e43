/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Property(tries = 500)
  void shouldReadBackNamesAndTextsOfAnyCharacters(@ForAll String name, @ForAll String text) {
    JsonNode value =
        Json.mapper().createObjectNode().put(UnicodeSanitizer.of(name), UnicodeSanitizer.of(text));

    assertThat(Json.tree(Json.bytes(value))).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"\ud83d\ude00\": 1}", "{\"\\ud83d\\ude00\": 1}", "{\"\\uD83D\\uDE00\": 1}"})
  void shouldReadNamesWithASurrogatePair(String json) throws Exception {
    JsonNode read = Json.checkedTree(json.getBytes(StandardCharsets.UTF_8));

    assertThat(read.path("\ud83d\ude00").intValue()).isOne();
    assertThat(Json.tree(Json.bytes(read))).isEqualTo(read);
  }

  @Test
  void shouldRefuseANameWithHalfASurrogatePair() {
    assertThatThrownBy(() -> Json.checkedTree("{\"\\ud83d\": 1}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonProcessingException.class);
  }

  @Test
  void shouldReportBytesOfNoEncodingAsAnythingElseThatIsNotJson() {
    byte[] invalid = {0, 0, 0, '"', (byte) 0x80, 0, 0, 0};

    assertThatThrownBy(() -> Json.parsedTree(invalid)).isInstanceOf(JsonProcessingException.class);
    assertThatThrownBy(() -> Json.checkedTree(invalid)).isInstanceOf(JsonProcessingException.class);
    assertThatThrownBy(() -> Json.parsedTree("{".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonProcessingException.class);
  }
}
