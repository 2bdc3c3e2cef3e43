/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PostgresValueSanitizerTest {
  @Test
  void shouldTakeNulOutOfNamesAndTexts() {
    String read = "{\"a\\u0000\":[\"b\\u0000c\",{\"d\":\"\\u0000\"},1.50,null]}";
    String cleaned = "{\"a\":[\"bc\",{\"d\":\"\"},1.50,null]}";

    assertThat(tree(PostgresValueSanitizer.json(tree(read)))).isEqualTo(tree(cleaned));
    assertThat(tree(PostgresValueSanitizer.json(read.getBytes(UTF_8)))).isEqualTo(tree(cleaned));
  }

  @Test
  void shouldLeaveTheRestAsItIs() {
    // The backslash is escaped, so this is a text of six characters.
    for (String json : new String[] {"{\"a\":\"\\\\u0000\"}", "[1,\"x\"]", "null"}) {
      assertThat(PostgresValueSanitizer.json(tree(json))).isEqualTo(json);
      assertThat(PostgresValueSanitizer.json(json.getBytes(UTF_8))).isEqualTo(json);
    }
    assertThat(PostgresValueSanitizer.json((JsonNode) null)).isNull();
  }

  private static JsonNode tree(@Nullable String json) {
    return Json.tree(Objects.requireNonNull(json).getBytes(UTF_8));
  }
}
