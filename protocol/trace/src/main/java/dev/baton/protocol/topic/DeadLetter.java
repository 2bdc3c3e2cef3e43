/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What is put aside of a record that could not be read: what the record had, and where it was and
 * what is wrong in headers {@code baton_*}.
 *
 * @param value as read; null when the record had none
 */
public record DeadLetter(byte @Nullable [] value, Headers headers) {
  /** Characters of a reason that are kept. */
  public static final int LONGEST_REASON = 1_000;

  /** Bytes of a value that {@link #cut} keeps. */
  public static final int CUT_VALUE = 512 * 1024;

  /** Bytes of headers that {@link #cut} keeps: all of them, or else only what was added. */
  public static final int CUT_HEADERS = 128 * 1024;

  private static final String REASON = "baton_reason";
  private static final String TOPIC = "baton_topic";
  private static final String PARTITION = "baton_partition";
  private static final String OFFSET = "baton_offset";
  private static final String VALUE_BYTES = "baton_value_bytes";
  private static final String HEADERS_BYTES = "baton_headers_bytes";

  /**
   * All of it, which may be more than a broker takes.
   *
   * @param read the record's headers, which stay as they are
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
    String line = reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
    headers.add(REASON, line.getBytes(UTF_8));
    headers.add(TOPIC, topic.getBytes(UTF_8));
    add(headers, PARTITION, partition);
    add(headers, OFFSET, offset);
    return new DeadLetter(value, headers);
  }

  /**
   * The same within the limit of 1 MiB that brokers and producers have, unless its key is large:
   * the record itself may have come close to that limit, and the reason comes on top. How many
   * bytes there were says {@code baton_value_bytes} of a value that was cut, and {@code
   * baton_headers_bytes} where the record's own headers were left out.
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
