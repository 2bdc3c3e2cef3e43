/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.DeadLetterOrigin;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.trace.TraceCodec;
import java.net.URI;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Records of Kafka. An input has lines {@code name: value}, which are headers, an empty line, and
 * the record's value. The header {@code key} is the record's key.
 */
final class TopicRecordFuzzer {
  private static final URI SOURCE = URI.create("/fuzz");

  private record TopicRecord(
      @Nullable String key, RecordHeaders headers, byte @Nullable [] value) {}

  private TopicRecordFuzzer() {}

  private static TopicRecord parse(byte[] input) {
    RecordHeaders headers = new RecordHeaders();
    String key = null;
    int at = 0;
    while (at < input.length) {
      int end = at;
      while (end < input.length && input[end] != '\n') {
        end++;
      }
      String line = new String(input, at, end - at, UTF_8);
      at = Math.min(input.length, end + 1);
      if (line.isEmpty()) {
        break;
      }
      int colon = line.indexOf(": ");
      if (colon < 0) {
        headers.add(line, null);
      } else if (line.startsWith("key: ")) {
        key = line.substring(colon + 2);
      } else {
        headers.add(line.substring(0, colon), line.substring(colon + 2).getBytes(UTF_8));
      }
    }
    byte[] value = new byte[input.length - at];
    System.arraycopy(input, at, value, 0, value.length);
    return new TopicRecord(key, headers, value.length == 0 ? null : value);
  }

  static void trace(byte[] input) {
    TopicRecord record = parse(input);
    DeadLetterOrigin.read(record.headers());
    TraceCodec.isRestored(record.headers());
    TraceCodec.signature(record.headers());
    switch (TraceCodec.decode(record.key(), record.headers(), record.value())) {
      case TraceCodec.Decoded.Known known -> {
        ProducerRecord<String, byte[]> sent =
            TraceCodec.encode("baton.trace", known.record(), known.lease());
        TraceCodec.Decoded again = TraceCodec.decode(sent.key(), sent.headers(), sent.value());
        FuzzAssert.require(again instanceof TraceCodec.Decoded.Known, "decodes again: " + again);
        FuzzAssert.same(known.record(), ((TraceCodec.Decoded.Known) again).record());
      }
      case TraceCodec.Decoded.Unknown unknown -> {}
      case TraceCodec.Decoded.Malformed malformed -> {}
    }
  }

  static void heartbeat(byte[] input) {
    TopicRecord record = parse(input);
    Heartbeat heartbeat;
    try {
      heartbeat = JsonEventCodec.heartbeat(record.headers(), record.value());
    } catch (IllegalArgumentException rejected) {
      return;
    }
    ProducerRecord<String, byte[]> sent = JsonEventCodec.encode(SOURCE, heartbeat);
    FuzzAssert.same(heartbeat, JsonEventCodec.heartbeat(sent.headers(), sent.value()));
  }

  static void signal(byte[] input) {
    TopicRecord record = parse(input);
    Optional<RunnerSignal> signal;
    try {
      signal = JsonEventCodec.signal(record.headers(), record.value());
    } catch (IllegalArgumentException rejected) {
      return;
    }
    if (signal.isPresent()) {
      ProducerRecord<String, byte[]> sent = JsonEventCodec.encode(SOURCE, signal.get());
      FuzzAssert.same(signal, JsonEventCodec.signal(sent.headers(), sent.value()));
    }
  }
}
