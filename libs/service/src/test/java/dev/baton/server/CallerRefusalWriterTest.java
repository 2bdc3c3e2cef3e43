/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerRefusalWriterTest {
  @ParameterizedTest
  @CsvSource({
    "'the key is wrong', 'the key is wrong'",
    "100%, 100%25",
    "'zoë', 'zo%C3%AB'",
    "'', ''"
  })
  void shouldEncodeMessagesAsGrpcRequires(String message, String encoded) {
    assertThat(CallerRefusalWriter.percentEncoded(message)).isEqualTo(encoded);
  }

  @Test
  void shouldEncodeLineBreaks() {
    assertThat(CallerRefusalWriter.percentEncoded("a\r\nb")).isEqualTo("a%0D%0Ab");
  }
}
