/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.json.TextShortener;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A record that could not be read, for the dead-letter topic: its value and headers, plus its
 * position and the error in headers {@code baton_*}.
 *
 * @param value as read; null when the record had none
 */
public record DeadLetter(byte @Nullable [] value, Headers headers) {
  /** Maximum characters of a stored reason. */
  public static final int LONGEST_REASON = 1_000;

  /** Maximum bytes of a value that {@link #cut} keeps. */
  public static final int CUT_VALUE = 512 * 1024;

  /** Maximum bytes of headers that {@link #cut} keeps; above it, only the added ones are kept. */
  public static final int CUT_HEADERS = 128 * 1024;

  static final String REASON = "baton_reason";
  static final String TOPIC = "baton_topic";
  static final String PARTITION = "baton_partition";
  static final String OFFSET = "baton_offset";
  static final String VALUE_BYTES = "baton_value_bytes";
  private static final String HEADERS_BYTES = "baton_headers_bytes";

  /**
   * Returns the complete dead letter, which may exceed the broker's limit.
   *
   * @param read the record's headers, which are not changed
   * @param reason one line that names what is wrong
   */
  public static DeadLetter of(
      Headers read,
      byte @Nullable [] value,
      String reason,
      String topic,
      int partition,
      long offset) {
    Headers headers = new RecordHeaders(read);
    String line = TextShortener.truncate(reason, LONGEST_REASON);
    headers.add(REASON, line.getBytes(UTF_8));
    headers.add(TOPIC, topic.getBytes(UTF_8));
    add(headers, PARTITION, partition);
    add(headers, OFFSET, offset);
    return new DeadLetter(value, headers);
  }

  /**
   * Returns a dead letter within the 1 MiB limit of brokers and producers, unless its key is large:
   * the record itself may have been close to that limit, before the reason was added. {@code
   * baton_value_bytes} has the original size of a truncated value, and {@code baton_headers_bytes}
   * that of omitted headers.
   */
  public DeadLetter cut() {
    long bytes = bytesOf(headers);
    Headers kept = bytes > CUT_HEADERS ? added() : new RecordHeaders(headers);
    if (bytes > CUT_HEADERS) {
      add(kept, HEADERS_BYTES, bytes);
    }
    if (value == null || value.length <= CUT_VALUE) {
      return new DeadLetter(value, kept);
    }
    add(kept, VALUE_BYTES, value.length);
    return new DeadLetter(Arrays.copyOf(value, CUT_VALUE), kept);
  }

  private Headers added() {
    Headers added = new RecordHeaders();
    for (String name : List.of(REASON, TOPIC, PARTITION, OFFSET)) {
      Header header = headers.lastHeader(name);
      if (header != null) {
        added.add(header);
      }
    }
    return added;
  }

  private static long bytesOf(Headers headers) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += header.key().length() + (header.value() == null ? 0L : header.value().length);
    }
    return bytes;
  }

  private static void add(Headers headers, String name, long number) {
    headers.add(name, Long.toString(number).getBytes(UTF_8));
  }
}
