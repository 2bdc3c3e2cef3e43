/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JacksonException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonProblemFormatterTest {
  record Part(String name, int size, boolean last) {}

  record Document(List<Part> parts, Map<String, Part> byName) {}

  private static String problemOf(String json) {
    JacksonException e =
        catchThrowableOfType(
            JacksonException.class,
            () -> Json.mapper().readValue(json.replace('\'', '"'), Document.class));
    return JsonProblemFormatter.describe(e);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "5; it must be an object",
        "{'parts': 5}; parts must be an array",
        "{'parts': [{}, 7]}; parts[1] must be an object",
        "{'parts': [{'size': []}]}; parts[0].size must be a number",
        "{'parts': [{'last': {}}]}; parts[0].last must be true or false",
        "{'parts': [{'name': {}}]}; parts[0].name must be a string",
        "{'by_name': []}; by_name must be an object",
        "{'by_name': {'a': 'b'}}; by_name.a must be an object",
      })
  void shouldNameThePlaceAndTheAllowedType(String json, String problem) {
    assertThat(problemOf(json)).isEqualTo(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"{; Unexpected end-of-input", "{'parts': [{'size': 'x'}]}; parts[0].size: "})
  void shouldKeepOtherReasons(String json, String problem) {
    assertThat(problemOf(json)).startsWith(problem);
  }
}
