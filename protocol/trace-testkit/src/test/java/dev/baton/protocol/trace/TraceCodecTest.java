/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.testkit.TraceSamples;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceCodec.Decoded;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceCodecTest {
  private static final String RUN = "01jd0000000000000000000000";
  private static final List<String> NAMES =
      List.of(
          "ce_specversion",
          "ce_id",
          "ce_type",
          "ce_source",
          "ce_subject",
          "ce_time",
          "ce_batonlease",
          "ce_dataschema",
          "ce_datacontenttype",
          "ce_Mood",
          "ce_not-allowed",
          "ce_",
          "content-type",
          "other");
  private static final List<String> VALUES =
      List.of(
          "1.0",
          "0.3",
          "2.0",
          "",
          " ",
          "not a uri",
          "/other",
          "urn:x:y",
          RUN,
          RUN + "/1/1",
          "dev.baton.run_paused",
          "dev.baton.moon_phase",
          "2026-05-01T12:00:00.5Z",
          "2026-05-01T12:00:00+02:00",
          "2026-02-30T12:00:00Z",
          "application/json",
          "application/cloudevents+json",
          "text/plain");
  private static final List<String> DATA =
      List.of(
          "",
          " ",
          "null",
          "[]",
          "7",
          "{}",
          " {} ",
          "\uFEFF{}",
          "{} {}",
          "{}]",
          "{",
          "{\"step\":\"a\",\"kind\":\"x\",\"visit\":null,\"output\":{}}",
          "{\"step\":\"a\",\"kind\":\"x\",\"visit\":1.5,\"attempt\":\"2\",\"output\":{\"value\":1e400}}",
          "{\"step\":7,\"kind\":true,\"next\":[\"a\",null]}",
          "{\"step\":\"a\",\"kind\":\"x\",\"next\":\"b\"}",
          "{\"reason\":\"x\",\"mood\":{\"a\":[1]}}");

  @Test
  void shouldReadBackWhatItWrites() {
    for (TraceRecord record : TraceSamples.manySeeds()) {
      ProducerRecord<String, byte[]> wire = TraceCodec.encode(TopicName.TRACE, record, "token");
      TraceCodec.sign(wire.headers(), "kid.0.1..signature");

      Decoded decoded = TraceCodec.decode(wire.key(), wire.headers(), wire.value());

      assertThat(decoded)
          .asInstanceOf(type(Decoded.Known.class))
          .satisfies(
              known -> {
                assertThat(known.record()).isEqualTo(record);
                assertThat(known.lease()).isEqualTo("token");
                assertThat(TraceCodec.signature(wire.headers())).isEqualTo("kid.0.1..signature");
                assertThat(Json.tree(known.raw()).path("schema").asInt())
                    .isEqualTo(EventTypeRegistry.SCHEMA);
              });
    }
  }

  @Test
  void shouldReadAnEventUnderTheNameItHadBeforeAndWriteItUnderTheNewOne() {
    byte[] old = utf8("{\"step\":\"ok\",\"approval\":\"q\",\"prompt\":\"go?\"}");

    ProducerRecord<String, byte[]> restored =
        TraceCodec.restore(
            TopicName.TRACE,
            0,
            EventId.parse(RUN + "/1/7"),
            URI.create("/somewhere"),
            "dev.baton.checkpoint_waiting",
            null,
            old);

    assertThat(
            TraceCodec.decode(RUN, headers(RUN + "/1/7", "dev.baton.checkpoint_waiting", RUN), old))
        .isInstanceOfSatisfying(
            Decoded.Known.class,
            known ->
                assertThat(known.record().event())
                    .isEqualTo(
                        new TraceEvent.ApprovalRequested(
                            "ok", "q", "go?", null, null, null, null, null)));
    assertThat(restored.headers().lastHeader("ce_type").value())
        .isEqualTo(utf8("dev.baton.approval_requested"));
  }

  @Test
  void shouldPutEventsBackAsTheyWere() {
    byte[] odd = utf8("{\"reason\": null,\n \"later\":1.50}");

    ProducerRecord<String, byte[]> restored =
        TraceCodec.restore(
            TopicName.TRACE,
            0,
            EventId.parse(RUN + "/1/7"),
            URI.create("/somewhere"),
            "dev.baton.run_paused",
            Instant.parse("2026-05-01T12:00:00.000001Z"),
            odd);

    assertThat(TraceCodec.isRestored(restored.headers())).isTrue();
    assertThat(restored.headers().lastHeader("ce_batonlease")).isNull();
    assertThat(TraceCodec.decode(RUN, restored.headers(), restored.value()))
        .isInstanceOfSatisfying(
            Decoded.Known.class,
            known -> {
              assertThat(known.raw()).isEqualTo(odd);
              assertThat(known.record().id()).isEqualTo(EventId.parse(RUN + "/1/7"));
              assertThat(known.record().source()).isEqualTo(URI.create("/somewhere"));
              assertThat(known.record().time())
                  .isEqualTo(Instant.parse("2026-05-01T12:00:00.000001Z"));
            });
    assertThat(TraceCodec.isRestored(headers(RUN + "/1/7", "dev.baton.run_paused", RUN))).isFalse();
  }

  @Test
  void shouldWriteWhatTheCloudEventsLibraryWrites() {
    for (TraceRecord record : TraceSamples.manySeeds()) {
      for (String lease : new String[] {"token", null}) {
        ProducerRecord<String, byte[]> ours = TraceCodec.encode(TopicName.TRACE, record, lease);
        ProducerRecord<String, byte[]> plain = PlainCodec.encode(TopicName.TRACE, record, lease);

        assertThat(ours.value()).asString(UTF_8).isEqualTo(new String(plain.value(), UTF_8));
        assertThat(ours.headers()).containsExactlyInAnyOrder(plain.headers().toArray());
        assertThat(ours.key()).isEqualTo(plain.key());
        assertThat(ours.topic()).isEqualTo(plain.topic());
      }
    }
  }

  @Test
  void shouldReadAnyRecordAsTheCloudEventsLibraryDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<TraceRecord> samples = TraceSamples.manySeeds();
    int known = 0;
    for (int i = 0; i < 20_000; i++) {
      TraceRecord record = samples.get(random.nextInt(samples.size()));
      ProducerRecord<String, byte[]> wire = TraceCodec.encode(TopicName.TRACE, record, "token");
      byte[] value = mutated(wire.headers(), wire.value(), random);

      Decoded decoded = TraceCodec.decode(wire.key(), wire.headers(), value);

      Object ours =
          switch (decoded) {
            case Decoded.Known event -> event.record();
            case Decoded.Unknown event -> event.type();
            case Decoded.Malformed bad -> null;
          };
      assertThat(ours)
          .as("seed %s, try %s: %s %s", seed, i, wire.headers(), new String(value, UTF_8))
          .isEqualTo(PlainCodec.decode(wire.key(), wire.headers(), value));
      known += ours == null ? 0 : 1;
    }
    assertThat(known).isBetween(4_000, 19_000);
  }

  private static byte[] mutated(Headers headers, byte[] value, Random random) {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    String other = VALUES.get(random.nextInt(VALUES.size()));
    switch (random.nextInt(8)) {
      case 0 -> headers.remove(name);
      case 1 -> headers.add(name, utf8(other));
      case 2 -> headers.remove(name).add(name, utf8(other));
      case 3 -> headers.remove(name).add(name, null);
      case 4 -> {
        return utf8(DATA.get(random.nextInt(DATA.size())));
      }
      case 5 -> value[random.nextInt(value.length)] = (byte) random.nextInt(128);
      case 6 -> headers.add("traceparent", utf8(other));
      default -> {}
    }
    return value;
  }

  @Test
  void shouldKeepUnknownFieldsAndUnknownTypes() {
    assertThat(
            decode(
                RUN, RUN + "/1/1", "dev.baton.run_paused", RUN, "{\"schema\":9,\"mood\":\"calm\"}"))
        .asInstanceOf(type(Decoded.Known.class))
        .satisfies(
            known -> assertThat(Json.tree(known.raw()).path("mood").asText()).isEqualTo("calm"));
    assertThat(decode(RUN, RUN + "/1/2", "dev.baton.moon_phase", RUN, "{}"))
        .isInstanceOf(Decoded.Unknown.class);
  }

  @ParameterizedTest(name = "{4}: {5}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "RUN|RUN/1/1|dev.baton.step_completed|RUN|{}|lacks the field 'step'",
        "RUN|RUN/1/1|dev.baton.step_completed|RUN|[1]|not a JSON object",
        "RUN|RUN/1/1|dev.baton.step_completed|RUN|{\"step\":|Unexpected end-of-input",
        "RUN|RUN/1/1|dev.baton.step_completed|RUN|{\"step\":{\"a\":1}}|data: step must be a string",
        "RUN|RUN/c/1|dev.baton.run_paused|RUN|{}|does not belong into lane c",
        "RUN|RUN/1/1|dev.baton.run_cancelled|RUN|{}|does not belong into lane 1",
        "RUN|RUN/1/x|dev.baton.run_paused|RUN|{}|seq 'x' is not a number",
        "RUN|RUN/-1/1|dev.baton.run_paused|RUN|{}|lane '-1'",
        "RUN|nonsense|dev.baton.run_paused|RUN|{}|is not <run>/<lane>/<seq>",
        "RUN|RUN/1/0|dev.baton.run_paused|RUN|{}|seq 0 is not 1 or more",
        "other|RUN/1/1|dev.baton.run_paused|RUN|{}|key 'other' is not the run",
        "RUN|RUN/1/1|dev.baton.run_paused|other|{}|ce_subject 'other' is not the run",
        "RUN|RUN/1/1|com.example.x|RUN|{}|does not begin with dev.baton.",
        "X|01JD/1/1|dev.baton.run_paused|01JD|{}|is not a ULID",
      })
  void shouldSayWhatIsWrong(
      String key, String id, String type, String subject, String data, String reason) {
    assertThat(
            decode(
                key.replace("RUN", RUN),
                id.replace("RUN", RUN),
                type,
                subject.replace("RUN", RUN),
                data))
        .asInstanceOf(type(Decoded.Malformed.class))
        .satisfies(malformed -> assertThat(malformed.reason()).contains(reason));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ce_specversion",
        "ce_id",
        "ce_type",
        "ce_source",
        "ce_subject",
        "ce_time",
        "content-type"
      })
  void shouldNotThrowForAHeaderWithoutAValue(String name) {
    RecordHeaders headers = headers(RUN + "/1/1", "dev.baton.run_paused", RUN);
    headers.remove(name);
    headers.add(name, null);

    Decoded decoded = TraceCodec.decode(RUN, headers, utf8("{}"));

    // The time is only for people: an event without one is valid.
    assertThat(decoded)
        .isInstanceOf(name.equals("ce_time") ? Decoded.Known.class : Decoded.Malformed.class);
  }

  @Test
  void shouldNeverThrowForRandomBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] value = new byte[random.nextInt(64)];
      random.nextBytes(value);
      RecordHeaders headers = new RecordHeaders();
      for (String name :
          new String[] {
            "ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "content-type"
          }) {
        if (random.nextBoolean()) {
          byte[] header = new byte[random.nextInt(8)];
          random.nextBytes(header);
          byte[] version = "1.0".getBytes(StandardCharsets.UTF_8);
          headers.add(
              name,
              switch (random.nextInt(6)) {
                case 0 -> version;
                case 1 -> null;
                default -> header;
              });
        }
      }
      assertThat(
              TraceCodec.decode(
                  random.nextBoolean() ? RUN : null,
                  headers,
                  random.nextInt(9) == 0 ? null : value))
          .as("seed %s, try %s", seed, i)
          .isInstanceOf(Decoded.Malformed.class);
    }
  }

  private static Decoded decode(String key, String id, String type, String subject, String data) {
    return TraceCodec.decode(key, headers(id, type, subject), utf8(data));
  }

  private static RecordHeaders headers(String id, String type, String subject) {
    RecordHeaders headers = new RecordHeaders();
    headers.add("ce_specversion", utf8("1.0"));
    headers.add("ce_id", utf8(id));
    headers.add("ce_type", utf8(type));
    headers.add("ce_source", utf8("/test"));
    headers.add("ce_subject", utf8(subject));
    headers.add("content-type", utf8("application/json"));
    return headers;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
