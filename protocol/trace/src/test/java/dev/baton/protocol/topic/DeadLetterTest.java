/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeadLetterTest {
  @Test
  void shouldAddTheReasonAndThePlace() {
    Headers read = new RecordHeaders().add("ce_type", "odd".getBytes(UTF_8));

    DeadLetter letter = DeadLetter.of(read, new byte[] {1}, "x".repeat(5_000), "topic", 3, 7);

    assertThat(header(letter, "ce_type")).isEqualTo("odd");
    assertThat(header(letter, "baton_reason")).isEqualTo("x".repeat(DeadLetter.LONGEST_REASON));
    assertThat(header(letter, "baton_topic")).isEqualTo("topic");
    assertThat(header(letter, "baton_partition")).isEqualTo("3");
    assertThat(header(letter, "baton_offset")).isEqualTo("7");
    assertThat(read.toArray()).hasSize(1);
    assertThat(letter.cut().value()).containsExactly(1);
    assertThat(letter.cut().headers().toArray()).isEqualTo(letter.headers().toArray());
  }

  @Test
  void shouldCutALargeValueAndSaySo() {
    DeadLetter letter =
        DeadLetter.of(new RecordHeaders(), new byte[1_000_000], "large", "topic", 3, 7);

    assertThat(letter.value()).hasSize(1_000_000);
    assertThat(letter.cut().value()).hasSize(DeadLetter.CUT_VALUE);
    assertThat(header(letter.cut(), "baton_value_bytes")).isEqualTo("1000000");
    assertThat(header(letter.cut(), "baton_reason")).isEqualTo("large");
    assertThat(header(letter, "baton_value_bytes")).isNull();
  }

  @Test
  void shouldLeaveLargeHeadersOutAndSaySo() {
    Headers read =
        new RecordHeaders()
            .add("large", new byte[500_000])
            .add("baton_reason", new byte[500_000])
            .add("none", null);

    DeadLetter letter = DeadLetter.of(read, null, "large", "topic", 3, 7).cut();

    assertThat(letter.value()).isNull();
    assertThat(letter.headers().toArray())
        .extracting(Header::key)
        .containsExactly(
            "baton_reason",
            "baton_topic",
            "baton_partition",
            "baton_offset",
            "baton_headers_bytes");
    assertThat(header(letter, "baton_reason")).isEqualTo("large");
    assertThat(header(letter, "baton_headers_bytes")).startsWith("1000");
  }

  private static @Nullable String header(DeadLetter letter, String name) {
    Header header = letter.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), UTF_8);
  }
}
