/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.baton.protocol.trace.TraceCodec;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the classes of the texts that the codecs and the consumers write. */
class DeadLetterReasonTest {
  private static final String RUN = "01jd0000000000000000000000";

  static Stream<Arguments> traceRecords() {
    String type = "dev.baton.step_started";
    String id = RUN + "/1/2";
    return Stream.of(
        Arguments.of(null, null, RUN, "{}", DeadLetterReason.NOT_A_CLOUD_EVENT),
        Arguments.of(id, "com.example.started", RUN, "{}", DeadLetterReason.WRONG_TYPE),
        Arguments.of("17", type, RUN, "{}", DeadLetterReason.WRONG_ID),
        Arguments.of(RUN + "/x/2", type, RUN, "{}", DeadLetterReason.WRONG_ID),
        Arguments.of(RUN + "/1/0", type, RUN, "{}", DeadLetterReason.WRONG_ID),
        Arguments.of(RUN + "/1/y", type, RUN, "{}", DeadLetterReason.WRONG_ID),
        Arguments.of(id, type, "another", "{}", DeadLetterReason.WRONG_KEY),
        Arguments.of(id, type, RUN, "{}", DeadLetterReason.MISSING_FIELD),
        Arguments.of(id, type, RUN, "{not json", DeadLetterReason.INVALID_DATA),
        Arguments.of(id, type, RUN, "[1]", DeadLetterReason.INVALID_DATA),
        Arguments.of(id, type, RUN, "{\"visit\": \"x\"}", DeadLetterReason.INVALID_DATA));
  }

  @ParameterizedTest
  @MethodSource("traceRecords")
  void shouldClassifyWhatTheTraceCodecRefuses(
      @Nullable String id,
      @Nullable String type,
      String key,
      String data,
      DeadLetterReason expected) {
    Headers headers = headers(id, type, RUN);

    var decoded = TraceCodec.decode(key, headers, data.getBytes(UTF_8));

    assertThat(decoded).isInstanceOf(TraceCodec.Decoded.Malformed.class);
    assertThat(DeadLetterReason.of(((TraceCodec.Decoded.Malformed) decoded).reason()))
        .as("%s", decoded)
        .isEqualTo(expected);
  }

  static Stream<Arguments> heartbeats() {
    String type = "dev.baton.heartbeat";
    String good =
        "{\"run\":\"%s\",\"epoch\":1,\"runner\":\"r\",\"state\":\"running\",\"interval_ms\":%d,\"timeout_ms\":3000}";
    return Stream.of(
        Arguments.of(null, "x", DeadLetterReason.NOT_A_CLOUD_EVENT),
        Arguments.of("dev.baton.run_failed", "{}", DeadLetterReason.WRONG_TYPE),
        Arguments.of(type, "{}", DeadLetterReason.MISSING_FIELD),
        Arguments.of(type, "{\"epoch\": []}", DeadLetterReason.INVALID_DATA),
        Arguments.of(type, good.formatted(RUN, 1), DeadLetterReason.OUT_OF_BOUNDS),
        Arguments.of(type, good.formatted("mine", 1000), DeadLetterReason.OUT_OF_BOUNDS));
  }

  @ParameterizedTest
  @MethodSource("heartbeats")
  void shouldClassifyWhatTheHeartbeatCodecRefuses(
      @Nullable String type, String data, DeadLetterReason expected) {
    Throwable refusal =
        catchThrowable(
            () -> JsonEventCodec.heartbeat(headers("one two", type, RUN), data.getBytes(UTF_8)));

    String reason = Objects.requireNonNull(refusal.getMessage());
    assertThat(DeadLetterReason.of(reason)).as(reason).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "01jd/1/2: lease refused (missing): no lease | LEASE_REFUSED",
        "01jd/c/2: signature refused (missing): not signed | SIGNATURE_REFUSED",
        "01jd/c/9: sequence refused: lane c expects seq 2, found 9 | SEQUENCE_REFUSED",
        "01jd/1/2 was refused by Postgres: value too long | NOT_STORABLE",
        "01jd/1/2 has a NUL character in a name | NOT_STORABLE",
        "the key is not UTF-8 | WRONG_KEY",
        "its run is not the key | WRONG_KEY",
        "java.lang.NullPointerException | OTHER",
        "no reason given | OTHER"
      })
  void shouldClassifyWhatConsumersRefuse(String reason, DeadLetterReason expected) {
    assertThat(DeadLetterReason.of(reason)).isEqualTo(expected);
  }

  @Test
  void shouldFindEveryReasonByItsWord() {
    for (DeadLetterReason reason : DeadLetterReason.values()) {
      assertThat(DeadLetterReason.ofWord(reason.word())).contains(reason);
      assertThat(reason.hint()).isNotBlank().doesNotContain("\n");
    }
    assertThat(DeadLetterReason.ofWord("MISSING_FIELD")).isEmpty();
  }

  @Test
  void shouldReadTheOriginOfADeadLetterAndOfAForeignRecord() {
    DeadLetter letter =
        DeadLetter.of(
                new RecordHeaders(), new byte[DeadLetter.CUT_VALUE + 1], "large", "topic", 3, 7)
            .cut();

    assertThat(DeadLetterOrigin.read(letter.headers()))
        .isEqualTo(new DeadLetterOrigin("topic", 3, 7, "large", DeadLetter.CUT_VALUE + 1));
    assertThat(
            DeadLetterOrigin.read(
                new RecordHeaders()
                    .add("baton_offset", "x".getBytes(UTF_8))
                    .add("baton_partition", "99999999999".getBytes(UTF_8))
                    .add("baton_reason", null)))
        .isEqualTo(new DeadLetterOrigin(null, -1, -1, "no reason given", -1));
  }

  private static Headers headers(@Nullable String id, @Nullable String type, String subject) {
    Headers headers = new RecordHeaders();
    if (id == null || type == null) {
      return headers;
    }
    headers.add("ce_specversion", "1.0".getBytes(UTF_8));
    headers.add("ce_id", id.getBytes(UTF_8));
    headers.add("ce_source", "/test".getBytes(UTF_8));
    headers.add("ce_type", type.getBytes(UTF_8));
    headers.add("ce_subject", subject.getBytes(UTF_8));
    headers.add("content-type", "application/json".getBytes(UTF_8));
    return headers;
  }
}
