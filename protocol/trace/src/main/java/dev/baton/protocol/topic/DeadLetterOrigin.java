/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.json.TextShortener;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Where a dead letter comes from, read from its headers. Missing headers, as of a record that
 * another program wrote to a dead-letter topic, give an unknown position (-1) and the reason {@code
 * no reason given}.
 *
 * @param topic from which the record was read; null if unknown
 * @param reason one line, at most {@link DeadLetter#LONGEST_REASON} characters
 * @param valueBytes size of the value before it was truncated; -1 if it is complete
 */
public record DeadLetterOrigin(
    @Nullable String topic, int partition, long offset, String reason, long valueBytes) {

  /** Reads the headers. Never throws, for any content. */
  public static DeadLetterOrigin read(Headers headers) {
    String reason = text(headers, DeadLetter.REASON);
    String line = reason == null || reason.isBlank() ? "no reason given" : reason;
    return new DeadLetterOrigin(
        text(headers, DeadLetter.TOPIC),
        (int) number(headers, DeadLetter.PARTITION, Integer.MAX_VALUE),
        number(headers, DeadLetter.OFFSET, Long.MAX_VALUE),
        TextShortener.truncate(line, DeadLetter.LONGEST_REASON),
        number(headers, DeadLetter.VALUE_BYTES, Long.MAX_VALUE));
  }

  private static @Nullable String text(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
  }

  private static long number(Headers headers, String name, long most) {
    String text = text(headers, name);
    try {
      long number = text == null ? -1 : Long.parseLong(text);
      return number > most ? -1 : Math.max(-1, number);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
