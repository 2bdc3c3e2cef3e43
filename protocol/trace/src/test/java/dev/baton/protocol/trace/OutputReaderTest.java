/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputReaderTest {
  private static final String DIGEST =
      "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"";

  /** A reference mapper that uses Jackson's own deduction of the two forms. */
  private static final ObjectMapper DEDUCING =
      Json.mapper().copy().addMixIn(Output.class, Deduced.class);

  @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
  @JsonSubTypes({@JsonSubTypes.Type(Output.Inline.class), @JsonSubTypes.Type(Output.Ref.class)})
  @JsonDeserialize(using = JsonDeserializer.None.class)
  private interface Deduced {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"value\": null}",
        "{\"value\": {\"digest\": 1}}",
        "{\"value\": [1, {\"value\": 2}], \"later\": {\"x\": []}}",
        "{\"mood\": {\"value\": 7}, \"value\": 1e400}",
        "{\"value\": 1, \"digest\": DIGEST}",
        "{\"digest\": DIGEST}",
        "{\"digest\": DIGEST, \"size_bytes\": 5, \"x\": [[]]}",
        "{\"digest\": DIGEST, \"size_bytes\": 5, \"parts\": 3}",
        "{\"parts\": 3, \"digest\": DIGEST, \"size_bytes\": 5}",
        "{\"parts\": null, \"digest\": DIGEST}",
        "{\"parts\": [], \"digest\": DIGEST}",
        "{\"parts\": 3}",
        "{\"size_bytes\": \"5\", \"digest\": DIGEST}",
        "{\"size_bytes\": null, \"digest\": DIGEST}",
        "{\"size_bytes\": [], \"digest\": DIGEST}",
        "{\"size_bytes\": 5}",
        "{\"digest\": null}",
        "{\"digest\": {}}",
        "{\"digest\": \"md5\"}",
        "{}",
        "{\"x\": 1}",
        "[]",
        "\"text\"",
        "7",
        "null",
        "{\"value\": ",
        "{\"x\": 1",
      })
  void shouldReadAsDeductionDoes(String json) {
    String text = json.replace("DIGEST", DIGEST);

    assertThat(read(Json.mapper(), text)).isEqualTo(read(DEDUCING, text));
  }

  private static @Nullable Object read(ObjectMapper mapper, String json) {
    try {
      return mapper.readValue(json, Output.class);
    } catch (JsonProcessingException refused) {
      return "refused";
    }
  }
}
