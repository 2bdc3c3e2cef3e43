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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireTimeCodecTest {
  @Property
  void shouldWriteAndReadAsTheFormatterDoes(
      @ForAll @LongRange(min = -62_167_219_200L, max = 253_402_300_799L) long second,
      @ForAll @IntRange(max = 999_999_999) int nano,
      @ForAll @IntRange(max = 9) int zeros) {
    long unit = (long) Math.pow(10, zeros);
    OffsetDateTime time =
        Instant.ofEpochSecond(second, nano / unit * unit).atOffset(ZoneOffset.UTC);

    String text = WireTimeCodec.format(time);

    assertThat(text).isEqualTo(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time));
    assertThat(WireTimeCodec.parseUtc(text)).isEqualTo(time);
  }

  @Test
  void shouldWriteWhatIsNotUsualAsTheFormatterDoes() {
    for (OffsetDateTime time :
        new OffsetDateTime[] {
          OffsetDateTime.MAX, OffsetDateTime.MIN, OffsetDateTime.parse("2026-01-01T00:00+02:00")
        }) {
      assertThat(WireTimeCodec.format(time))
          .isEqualTo(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Z",
        "2026-05-01T12:00Z",
        "2026-05-01T12:00:00",
        "2026-05-01T12:00:00.Z",
        "2026-05-01T12:00:00.1234567890Z",
        "2026-05-01T12:00:00,1Z",
        "2026-05-01T12:00:00.1xZ",
        "2026-05-01T12:00:00+00:00",
        "2026-02-30T12:00:00Z",
        "2026-05-01T24:00:00Z",
        "2026-05-01T12:00:60Z",
        "2026-05-01 12:00:00Z",
        "\u0662026-05-01T12:00:00Z",
        "+2026-05-01T12:00:00Z"
      })
  void shouldLeaveAllElseToOthers(String text) {
    assertThat(WireTimeCodec.parseUtc(text)).isNull();
  }

  @Test
  void shouldReadInstantsInEveryForm() throws JsonProcessingException {
    Instant then = Instant.parse("2026-05-01T12:00:00Z");

    for (String json :
        new String[] {"\"2026-05-01T12:00:00Z\"", "\"2026-05-01T14:00:00+02:00\"", "1777636800"}) {
      assertThat(Json.mapper().readValue(json, Instant.class)).isEqualTo(then);
    }
    assertThatThrownBy(() -> Json.mapper().readValue("\"2026-02-30T12:00:00Z\"", Instant.class))
        .isInstanceOf(JsonProcessingException.class);
  }
}
