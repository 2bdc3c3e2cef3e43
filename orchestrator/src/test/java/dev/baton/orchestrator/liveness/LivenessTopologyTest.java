/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.Signal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEvents;
import dev.baton.protocol.topic.Topics;
import dev.baton.protocol.trace.RunId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LivenessTopologyTest {
  private static final URI SOURCE = URI.create("/test");
  private static final long TIMEOUT = 3_000;

  /** The broker as a test wants it. */
  private static final class ScriptedContact implements Contact {
    OptionalLong end = OptionalLong.of(0);
    long unbrokenSince;

    @Override
    public OptionalLong end(int partition) {
      return end;
    }

    @Override
    public long committed(int partition) {
      return 0;
    }

    @Override
    public long unbrokenSince() {
      return unbrokenSince;
    }
  }

  private final String run = RunId.next();
  private final ScriptedContact contact = new ScriptedContact();
  private final TopologyTestDriver driver = driver(contact);
  private final TestInputTopic<String, byte[]> heartbeats =
      driver.createInputTopic(Topics.HEARTBEATS, new StringSerializer(), new ByteArraySerializer());
  private final TestOutputTopic<String, byte[]> signals =
      driver.createOutputTopic(
          Topics.SIGNALS, new StringDeserializer(), new ByteArrayDeserializer());

  private final TestOutputTopic<String, byte[]> letters =
      driver.createOutputTopic(
          Topics.deadLetters(Topics.HEARTBEATS),
          new StringDeserializer(),
          new ByteArrayDeserializer());

  private static TopologyTestDriver driver(Contact contact) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test-" + RunId.next());
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
    return new TopologyTestDriver(
        LivenessTopology.build(contact, new LivenessMetrics(new SimpleMeterRegistry()), SOURCE),
        settings,
        Instant.parse("2026-01-01T00:00:00Z"));
  }

  @BeforeEach
  void firstTick() {
    pass(100);
  }

  @AfterEach
  void close() {
    driver.close();
  }

  private ProducerRecord<String, byte[]> heartbeat(int epoch, String state) {
    return JsonEvents.encode(
        SOURCE,
        new Heartbeat(run, epoch, "p" + epoch, state, null, null, 1_000, TIMEOUT, 0, 0, 0, 0));
  }

  private void beat(int epoch, String state) {
    ProducerRecord<String, byte[]> event = heartbeat(epoch, state);
    heartbeats.pipeInput(new TestRecord<>(run, event.value(), event.headers()));
    contact.end = OptionalLong.of(contact.end.orElse(0) + 1);
  }

  /** Time passes as it does: tick by tick. */
  private void pass(long millis) {
    for (long passed = 0; passed < millis; passed += 100) {
      driver.advanceWallClockTime(Duration.ofMillis(100));
    }
  }

  private List<Signal> signalled() {
    List<Signal> all = new ArrayList<>();
    for (TestRecord<String, byte[]> record : signals.readRecordsToList()) {
      assertThat(record.key()).isEqualTo(run);
      all.add(JsonEvents.signal(record.headers(), record.value()).orElseThrow());
    }
    return all;
  }

  @Test
  void shouldReportSilenceAndJudgeTheNextEpochAnew() {
    beat(1, "running");
    pass(TIMEOUT - 200);
    assertThat(signalled()).isEmpty();

    pass(400);

    assertThat(signalled())
        .singleElement()
        .isInstanceOfSatisfying(
            Signal.HeartbeatsMissed.class,
            missed -> {
              assertThat(missed.epoch()).isEqualTo(1);
              assertThat(missed.runner()).isEqualTo("p1");
              assertThat(missed.silentMs()).isBetween(TIMEOUT, TIMEOUT + 300);
              assertThat(missed.timeoutMs()).isEqualTo(TIMEOUT);
            });
    // The next epoch is judged anew.
    beat(2, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).singleElement().extracting(Signal::epoch).isEqualTo(2);
  }

  @Test
  void shouldSayNothingWhileHeartbeatsCome() {
    for (int i = 0; i < 20; i++) {
      beat(1, "running");
      pass(1_000);
    }
    assertThat(signalled()).isEmpty();
  }

  @Test
  void shouldForgetARunThatHasEnded() {
    beat(1, "running");
    beat(1, Heartbeat.ENDED);
    pass(3 * TIMEOUT);
    assertThat(signalled()).isEmpty();
  }

  @Test
  void shouldIgnoreAnOlderEpoch() {
    beat(2, "running");
    pass(TIMEOUT - 500);
    beat(1, "running");
    pass(700);
    assertThat(signalled()).singleElement().extracting(Signal::epoch).isEqualTo(2);
  }

  @Test
  void shouldCondemnNobodyBeforeItHasReadAll() {
    beat(1, "running");
    contact.end = OptionalLong.of(10);
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();

    contact.end = OptionalLong.of(1);
    pass(100);
    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldCondemnNobodyForAnOutageOfTheBroker() {
    beat(1, "running");
    contact.end = OptionalLong.empty();
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();

    contact.end = OptionalLong.of(1);
    contact.unbrokenSince =
        Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() + 100 + 2 * TIMEOUT;
    pass(TIMEOUT - 100);
    assertThat(signalled()).isEmpty();
    pass(300);
    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldCondemnNobodyForAPauseOfItsOwn() {
    beat(1, "running");
    driver.advanceWallClockTime(Duration.ofSeconds(60));
    assertThat(signalled()).isEmpty();
    pass(TIMEOUT - 100);
    assertThat(signalled()).isEmpty();
    pass(300);
    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldPutAsideWhatIsNoHeartbeatAndGoOn() {
    heartbeats.pipeInput(run, "rubbish".getBytes(StandardCharsets.UTF_8));
    String whole = new String(heartbeat(1, "running").value(), StandardCharsets.UTF_8);
    for (String field : List.of("state", "runner", "timeout_ms")) {
      byte[] without =
          whole.replace("\"" + field + "\"", "\"other\"").getBytes(StandardCharsets.UTF_8);
      heartbeats.pipeInput(new TestRecord<>(run, without, heartbeat(1, "running").headers()));
    }
    heartbeats.pipeInput(
        new TestRecord<>(
            "another-key", heartbeat(1, "running").value(), heartbeat(1, "running").headers()));
    contact.end = OptionalLong.of(5);
    beat(1, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).hasSize(1);
    assertThat(letters.readRecordsToList())
        .hasSize(5)
        .allSatisfy(letter -> assertThat(letter.headers().lastHeader("baton_reason")).isNotNull());
  }

  @Test
  void shouldCutWhatIsTooLargeForItsLetter() {
    heartbeats.pipeInput(run, new byte[1_000_000]);

    TestRecord<String, byte[]> letter = letters.readRecord();
    assertThat(letter.value()).hasSize(DeadLetter.CUT_VALUE);
    assertThat(letter.headers().lastHeader("baton_value_bytes").value())
        .isEqualTo("1000000".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldRepeatTheSignalEverMoreRarelyWhileTheSilenceLasts() {
    beat(1, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).hasSize(1);
    pass(2 * TIMEOUT + 200);
    assertThat(signalled()).hasSize(1);
    pass(2 * TIMEOUT + 200);
    assertThat(signalled()).isEmpty();
    pass(2 * TIMEOUT);
    assertThat(signalled()).hasSize(1);
  }
}
