/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
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
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LivenessTopologyTest {
  private static final TestLeaseIssuer LEASES = new TestLeaseIssuer();
  private static final URI SOURCE = URI.create("/test");
  private static final long TIMEOUT = 3_000;
  private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

  /** A broker scripted by the test. */
  private static final class ScriptedContact implements BrokerConnectivity {
    OptionalLong end = OptionalLong.of(0);
    long unbrokenSince;
    long over;
    long asOf = Long.MAX_VALUE;

    @Override
    public long asOf() {
      return asOf;
    }

    @Override
    public OptionalLong end(int partition) {
      return end;
    }

    @Override
    public long done(int partition) {
      return 0;
    }

    @Override
    public long over(int partition, long read) {
      return Math.max(read, over);
    }

    @Override
    public long unbrokenSince() {
      return unbrokenSince;
    }
  }

  /** Answers of other partitions, scripted by the test. */
  private static final class ScriptedLookup implements MovedRunnerLookup {
    final List<Query> asked = new ArrayList<>();
    Result result = Result.STAYED;

    @Override
    public Result look(Query query, long since) {
      asked.add(query);
      return result;
    }
  }

  private final String run = RunId.next();
  private final ScriptedContact contact = new ScriptedContact();
  private final ScriptedLookup elsewhere = new ScriptedLookup();
  private TopologyTestDriver driver = driver(contact, elsewhere);
  private TestInputTopic<String, byte[]> heartbeats = inputs();
  private TestOutputTopic<String, byte[]> signals = outputs(TopicName.SIGNALS);
  private TestOutputTopic<String, byte[]> letters =
      outputs(TopicName.deadLetters(TopicName.HEARTBEATS));

  private TestInputTopic<String, byte[]> inputs() {
    return driver.createInputTopic(
        TopicName.HEARTBEATS, new StringSerializer(), new ByteArraySerializer());
  }

  private TestOutputTopic<String, byte[]> outputs(String topic) {
    return driver.createOutputTopic(topic, new StringDeserializer(), new ByteArrayDeserializer());
  }

  private void connect() {
    heartbeats = inputs();
    signals = outputs(TopicName.SIGNALS);
    letters = outputs(TopicName.deadLetters(TopicName.HEARTBEATS));
  }

  private static TopologyTestDriver driver(
      BrokerConnectivity contact, MovedRunnerLookup elsewhere) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test-" + RunId.next());
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
    return new TopologyTestDriver(
        LivenessTopology.build(
            contact,
            elsewhere,
            TestLeaseIssuer.authenticator(LEASES),
            new LivenessMetrics(new SimpleMeterRegistry()),
            records -> {},
            SOURCE),
        settings,
        Instant.parse("2026-01-01T00:00:00Z"));
  }

  @BeforeEach
  void firstTick() {
    pass(100);
  }

  /** A transaction marker at the end of the partition does not hide a heartbeat. */
  @Test
  void shouldJudgeWhereThePartitionEndsWithAMarker() {
    beat(1, "running");
    contact.end = OptionalLong.of(2);
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();

    contact.over = 2;
    pass(100);

    assertThat(signalled()).hasSize(1);
  }

  @AfterEach
  void close() {
    driver.close();
  }

  private ProducerRecord<String, byte[]> heartbeat(int epoch, String state) {
    return JsonEventCodec.encode(
        SOURCE,
        new Heartbeat(run, epoch, "p" + epoch, state, null, null, 1_000, TIMEOUT, 0, 0, 0, 0));
  }

  private void beat(int epoch, String state) {
    beat(epoch, state, null);
  }

  private void beat(int epoch, String state, @Nullable String lease) {
    ProducerRecord<String, byte[]> event = heartbeat(epoch, state);
    if (lease != null) {
      TraceCodec.lease(event.headers(), lease);
    }
    heartbeats.pipeInput(new TestRecord<>(run, event.value(), event.headers()));
    contact.end = OptionalLong.of(contact.end.orElse(0) + 1);
  }

  /** Advances the clock tick by tick. */
  private void pass(long millis) {
    for (long passed = 0; passed < millis; passed += 100) {
      driver.advanceWallClockTime(Duration.ofMillis(100));
    }
  }

  private List<RunnerSignal> signalled() {
    List<RunnerSignal> all = new ArrayList<>();
    for (TestRecord<String, byte[]> record : signals.readRecordsToList()) {
      assertThat(record.key()).isEqualTo(run);
      all.add(JsonEventCodec.signal(record.headers(), record.value()).orElseThrow());
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
            RunnerSignal.HeartbeatsMissed.class,
            missed -> {
              assertThat(missed.epoch()).isEqualTo(1);
              assertThat(missed.runner()).isEqualTo("p1");
              assertThat(missed.silentMs()).isBetween(TIMEOUT, TIMEOUT + 300);
              assertThat(missed.timeoutMs()).isEqualTo(TIMEOUT);
            });
    // The next epoch gets its own timeout.
    beat(2, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).singleElement().extracting(RunnerSignal::epoch).isEqualTo(2);
  }

  @Test
  void shouldReportNoRunWhoseHeartbeatsContinueElsewhere() {
    beat(1, "running");
    elsewhere.result = MovedRunnerLookup.Result.PENDING;
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();
    assertThat(elsewhere.asked).isNotEmpty().allSatisfy(q -> assertThat(q.run()).isEqualTo(run));

    elsewhere.result = MovedRunnerLookup.Result.MOVED;
    pass(2 * TIMEOUT);
    elsewhere.result = MovedRunnerLookup.Result.STAYED;
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();
    assertThat(store().get(run)).isNull();

    // It may return, and is judged here again.
    beat(1, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).hasSize(1);
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
    assertThat(signalled()).singleElement().extracting(RunnerSignal::epoch).isEqualTo(2);
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

  /** Stores what another replica has left when this one takes over the partition. */
  private void kept(String other, long heardAt) {
    driver
        .<String, WatchedRunner>getKeyValueStore(HeartbeatTimeoutProcessor.STORE)
        .put(
            other, new WatchedRunner(1, "p1", TIMEOUT, false, heardAt, 7, heardAt, heardAt, false));
  }

  @Test
  void shouldLetHeartbeatsWithoutALeaseHideNoSilence() {
    beat(2, "running", LEASES.lease(run, 2));
    for (int i = 0; i < 5; i++) {
      pass(TIMEOUT / 2);
      beat(2, "running");
      beat(Integer.MAX_VALUE, "running");
      beat(2, "ended");
    }

    assertThat(signalled())
        .extracting(RunnerSignal::epoch)
        .as("signals of the silent runner")
        .isNotEmpty()
        .containsOnly(2);
  }

  @Test
  void shouldWatchTheRunnerWithALeaseInsteadOfOneWithout() {
    beat(Integer.MAX_VALUE, "running");
    beat(1, "running", LEASES.lease(run, 1));

    pass(TIMEOUT + 200);

    assertThat(signalled()).extracting(RunnerSignal::epoch).containsExactly(1);
  }

  /** A runner of an earlier version sends no lease. */
  @Test
  void shouldWatchARunnerWithoutALeaseAfterOneThatHasIt() {
    beat(1, "running", LEASES.lease(run, 1));
    beat(2, "running");
    for (int i = 0; i < 4; i++) {
      pass(TIMEOUT / 2);
      beat(1, "running", LEASES.lease(run, 1));
    }

    assertThat(signalled()).extracting(RunnerSignal::epoch).isNotEmpty().containsOnly(2);
  }

  @Test
  void shouldMoveHeartbeatsWithAnInvalidLeaseToTheDeadLetters() {
    beat(1, "running", LEASES.lease(RunId.next(), 1));
    beat(1, "running", new TestLeaseIssuer().forged(LEASES, run, 1));
    beat(1, "running", "no.lease.at-all");

    assertThat(letters.readRecordsToList())
        .extracting(
            letter ->
                new String(
                    letter.headers().lastHeader("baton_reason").value(), StandardCharsets.UTF_8))
        .satisfiesExactly(
            foreign -> assertThat(foreign).startsWith(run + "/1: lease refused (foreign)"),
            forged -> assertThat(forged).startsWith(run + "/1: lease refused (bad_signature)"),
            malformed -> assertThat(malformed).startsWith(run + "/1: lease refused (malformed)"));
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();
  }

  /** They have no lease, also where leases are required. */
  @Test
  void shouldIgnoreHeartbeatsOfWarmups() {
    beat(1, Heartbeat.WARM_UP);
    beat(1, Heartbeat.WARM_UP, "no.lease.at-all");

    assertThat(letters.readRecordsToList()).isEmpty();
    pass(2 * TIMEOUT);
    assertThat(signalled()).isEmpty();
  }

  private void restart() {
    driver.close();
    driver = driver(contact, elsewhere);
    connect();
  }

  @Test
  void shouldJudgeWhatComesFromAnotherReplicaByWhatThatOneHeard() {
    restart();
    kept(run, START - 2_000);
    pass(TIMEOUT - 2_000 - 200);
    assertThat(signalled()).isEmpty();

    pass(400);

    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldLetTheTimeBeginNowWhereItIsUnknownOrAhead() {
    restart();
    String ahead = RunId.next();
    kept(run, 0);
    kept(ahead, START + 3_600_000);
    pass(TIMEOUT - 200);
    assertThat(signals.readRecordsToList()).isEmpty();

    pass(500);

    assertThat(signals.readRecordsToList())
        .extracting(TestRecord::key)
        .containsExactlyInAnyOrder(run, ahead);
  }

  @Test
  void shouldReadWhatAnEarlierVersionHasKept() {
    WatchedRunner kept =
        WatchedRunner.serde()
            .deserializer()
            .deserialize(
                "t",
                "{\"epoch\":2,\"runner\":\"p\",\"timeout_ms\":3000,\"reported\":true}"
                    .getBytes(StandardCharsets.UTF_8));
    assertThat(kept).isEqualTo(new WatchedRunner(2, "p", 3_000, true, 0, 0, 0, 0, false));
  }

  @Test
  void shouldGiveAllTheirTimeAfterAnOutageOfItsOwn() {
    restart();
    // Five minutes of outage; the process has just reconnected to the broker.
    contact.unbrokenSince = START;
    kept(run, START - 300_000);
    pass(TIMEOUT - 200);
    assertThat(signalled()).isEmpty();

    pass(400);

    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldNotTakeAHeartbeatThatIsReadAgainForANewOne() {
    beat(1, "running");
    WatchedRunner counted = store().get(run);
    pass(2_000);
    restart();
    store().put(run, counted);
    driver.advanceWallClockTime(Duration.ofMillis(2_000));

    ProducerRecord<String, byte[]> again = heartbeat(1, "running");
    heartbeats.pipeInput(
        new TestRecord<>(
            run, again.value(), again.headers(), Instant.ofEpochMilli(counted.sentAt())));

    assertThat(store().get(run).heardAt()).isEqualTo(counted.heardAt());
    pass(TIMEOUT);
    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldJudgeOnlyWhatWasSentBeforeTheEndWasAskedFor() {
    beat(1, "running");
    contact.asOf = START + TIMEOUT - 500;
    pass(TIMEOUT + 500);
    // Heartbeats sent since then may be unread.
    assertThat(signalled()).isEmpty();

    contact.asOf = START + TIMEOUT + 500;
    pass(100);
    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldKeepToEachRunsOwnTimeout() {
    String patient = RunId.next();
    beat(1, "running");
    ProducerRecord<String, byte[]> slow =
        JsonEventCodec.encode(
            SOURCE,
            new Heartbeat(patient, 1, "p1", "running", null, null, 3_000, 3 * TIMEOUT, 0, 0, 0, 0));
    heartbeats.pipeInput(new TestRecord<>(patient, slow.value(), slow.headers()));
    contact.end = OptionalLong.of(2);

    pass(TIMEOUT + 200);
    assertThat(signals.readRecordsToList()).extracting(TestRecord::key).containsExactly(run);
    store().delete(run);
    pass(TIMEOUT);
    pass(TIMEOUT + 200);

    assertThat(signals.readRecordsToList()).extracting(TestRecord::key).contains(patient);
  }

  @Test
  void shouldFollowATimeoutThatBecomesShorter() {
    ProducerRecord<String, byte[]> slow =
        JsonEventCodec.encode(
            SOURCE, new Heartbeat(run, 1, "p1", "running", null, null, 30_000, 90_000, 0, 0, 0, 0));
    heartbeats.pipeInput(new TestRecord<>(run, slow.value(), slow.headers()));
    contact.end = OptionalLong.of(1);
    pass(1_000);

    beat(1, "running");
    pass(TIMEOUT + 300);

    assertThat(signalled()).hasSize(1);
  }

  @Test
  void shouldLeaveNothingOfARunThatHasEnded() {
    beat(1, "running");
    assertThat(store().get(run)).isNotNull();

    beat(1, Heartbeat.ENDED);

    assertThat(store().get(run)).isNull();
    assertThat(isForgottenForGood()).isTrue();
  }

  @Test
  void shouldForgetAnHourAfterTheFirstReport() {
    beat(1, "running");
    pass(TIMEOUT + 200);
    assertThat(signalled()).hasSize(1);

    pass(Duration.ofMinutes(62).toMillis());

    assertThat(store().get(run)).isNull();
    assertThat(isForgottenForGood()).isTrue();
  }

  private KeyValueStore<String, WatchedRunner> store() {
    return driver.getKeyValueStore(HeartbeatTimeoutProcessor.STORE);
  }

  /** Whether the store's last changelog record is a tombstone. */
  private boolean isForgottenForGood() {
    String changelog =
        driver.producedTopicNames().stream()
            .filter(topic -> topic.endsWith(HeartbeatTimeoutProcessor.STORE + "-changelog"))
            .findFirst()
            .orElseThrow();
    return driver
            .createOutputTopic(changelog, new StringDeserializer(), new ByteArrayDeserializer())
            .readRecordsToList()
            .getLast()
            .value()
        == null;
  }
}
