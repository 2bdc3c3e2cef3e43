/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.TraceCodec;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonEventCodecTest {
  private static final String RUN = "01jd0000000000000000000000";
  private static final URI SOURCE = URI.create("/test");
  private static final Heartbeat HEARTBEAT =
      new Heartbeat(RUN, 1, "r", "running", "a", Instant.EPOCH, 200, 600, 1, 0.5, 0.25, 7);

  @Test
  void shouldReadBackWhatItWrites() {
    ProducerRecord<String, byte[]> beat = JsonEventCodec.encode(SOURCE, HEARTBEAT);
    RunnerSignal exited = new RunnerSignal.RunnerExited(RUN, 2, "r", null);
    RunnerSignal left = new RunnerSignal.RunnerLeft(RUN, 2, "r", "terminated");
    RunnerSignal missed = new RunnerSignal.HeartbeatsMissed(RUN, 3, "r", 700, 600);

    assertThat(JsonEventCodec.heartbeat(beat.headers(), beat.value())).isEqualTo(HEARTBEAT);
    ProducerRecord<String, byte[]> leased = JsonEventCodec.encode(SOURCE, HEARTBEAT, 3, "token");
    assertThat(JsonEventCodec.heartbeat(leased.headers(), leased.value())).isEqualTo(HEARTBEAT);
    assertThat(TraceCodec.lease(leased.headers())).isEqualTo("token");
    for (RunnerSignal signal : new RunnerSignal[] {exited, left, missed}) {
      ProducerRecord<String, byte[]> wire = JsonEventCodec.encode(SOURCE, signal);
      TraceCodec.sign(wire.headers(), "kid.0.1..signature");
      assertThat(JsonEventCodec.signal(wire.headers(), wire.value())).contains(signal);
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "run|null|lacks the field 'run'",
        "run|``|'run' is out of bounds; allowed: a ULID in lower case",
        "run|\"01JD0000000000000000000000\"|'run' is out of bounds; allowed: a ULID in lower case",
        "epoch|null|'epoch' is out of bounds; allowed: 1 and up, not 0",
        "epoch|-1|'epoch' is out of bounds; allowed: 1 and up, not -1",
        "runner|null|lacks the field 'runner'",
        "state|null|lacks the field 'state'",
        "interval_ms|null|'interval_ms' is out of bounds; allowed: 200 and up, not 0",
        "interval_ms|199|'interval_ms' is out of bounds; allowed: 200 and up, not 199",
        "timeout_ms|null|'timeout_ms' is out of bounds; allowed: 600 and up, not 0",
        "timeout_ms|599|'timeout_ms' is out of bounds; allowed: 600 and up, not 599",
        "timeout_ms|\"soon\"|timeout_ms",
        "timeout_ms|1e400|timeout_ms",
      })
  void shouldNameTheFieldOfAHeartbeatThatIsWrong(String field, String value, String message)
      throws Exception {
    ProducerRecord<String, byte[]> beat = JsonEventCodec.encode(SOURCE, HEARTBEAT);
    ObjectNode data = (ObjectNode) Json.tree(beat.value());
    String json = value.isEmpty() ? "\"\"" : value;
    data.set(field, Json.mapper().readTree(json));

    assertThatThrownBy(() -> JsonEventCodec.heartbeat(beat.headers(), Json.bytes(data)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
    data.remove(field);
    assertThatThrownBy(() -> JsonEventCodec.heartbeat(beat.headers(), Json.bytes(data)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + field + "'");
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "run|null|lacks the field 'run'",
        "run|\"r\"|'run' is out of bounds",
        "epoch|0|'epoch' is out of bounds",
        "runner|null|lacks the field 'runner'",
        "silent_ms|-1|'silent_ms' is out of bounds",
        "timeout_ms|-1|'timeout_ms' is out of bounds",
      })
  void shouldNameTheFieldOfASignalThatIsWrong(String field, String value, String message)
      throws Exception {
    ProducerRecord<String, byte[]> wire =
        JsonEventCodec.encode(SOURCE, new RunnerSignal.HeartbeatsMissed(RUN, 3, "r", 700, 600));
    ObjectNode data = (ObjectNode) Json.tree(wire.value());
    data.set(field, Json.mapper().readTree(value));

    assertThatThrownBy(() -> JsonEventCodec.signal(wire.headers(), Json.bytes(data)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldPassOverASignalOfALaterVersion() {
    ProducerRecord<String, byte[]> wire =
        JsonEventCodec.encode(SOURCE, new RunnerSignal.RunnerExited(RUN, 2, "r", null));
    wire.headers().remove("ce_type").add("ce_type", utf8("dev.baton.moon_rose"));

    assertThat(JsonEventCodec.signal(wire.headers(), wire.value())).isEmpty();
  }

  @Test
  void shouldThrowNothingButIllegalArgumentsForRandomRecords() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[][] values = {utf8("null"), utf8("{}"), utf8("[]"), utf8("{\"run\":{}}"), new byte[0]};
    for (int i = 0; i < 3000; i++) {
      ProducerRecord<String, byte[]> wire = JsonEventCodec.encode(SOURCE, HEARTBEAT);
      RecordHeaders headers = new RecordHeaders(wire.headers());
      String[] names = {"ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time"};
      String name = names[random.nextInt(names.length)];
      headers.remove(name);
      byte[] noise = new byte[random.nextInt(8)];
      random.nextBytes(noise);
      headers.add(name, random.nextBoolean() ? null : noise);
      byte[] broken = values[random.nextInt(values.length)];
      for (byte @Nullable [] value : new byte @Nullable [][] {broken, noise, null}) {
        assertThatThrownBy(() -> JsonEventCodec.heartbeat(wire.headers(), value))
            .as("seed %s, try %s", seed, i)
            .isInstanceOf(IllegalArgumentException.class);
        try {
          JsonEventCodec.heartbeat(headers, wire.value());
          JsonEventCodec.signal(headers, wire.value());
        } catch (IllegalArgumentException expected) {
          assertThat(expected).as("seed %s, try %s", seed, i).hasMessageContaining(" ");
        }
      }
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
