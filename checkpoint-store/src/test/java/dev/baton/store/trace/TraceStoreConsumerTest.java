/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkBatchDecoder;
import dev.baton.sink.SinkRecord;
import dev.baton.sink.TraceSink;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TraceStoreConsumerTest extends StoreTest {
  @Inject KafkaClientService kafka;
  @Inject TracePositionRepository positions;
  @Inject TraceRepository writer;
  @Inject StoredBatchHandler handler;
  @Inject DeadLetterPublisher deadLetters;
  @Inject ProcessExitHandler fatal;
  @Inject StoredEventNotifier wakeups;

  @ConfigProperty(name = "kafka.bootstrap.servers")
  String servers = "";

  @Test
  void shouldStoreOnceWhatIsSentTwice() {
    TraceBuilder trace = new TraceBuilder();
    var created = trace.created();
    var assigned = trace.assigned(1);
    var started = trace.started(1);

    log.send(created, assigned, created, started, started, assigned, trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run()))
        .containsExactly(
            trace.run() + "/c/1", trace.run() + "/c/2", trace.run() + "/1/1", trace.run() + "/1/2");
  }

  @Test
  void shouldCountCapturesThatFailed() {
    TraceBuilder trace = new TraceBuilder();
    double before = failedCaptures();

    log.send(
        trace.created(),
        trace.assigned(1),
        trace.runner(
            1,
            new TraceEvent.CheckpointSaved(RunId.next(), "a", "periodic", null, "disk full", null)),
        trace.runner(
            1,
            new TraceEvent.StepCompleted(
                "a", "shell", 1, 1, null, null, true, List.of(), 0, null, null, 10, null, null)),
        trace.completed(1, "b", TraceBuilder.cut("b")),
        trace.ended(1));
    client.idsUntilEnd(trace.run());

    assertThat(client.until(() -> failedCaptures() - before, failed -> failed >= 2)).isEqualTo(2);
  }

  private double failedCaptures() {
    Matcher line =
        Pattern.compile("baton_store_captures_failed_total\\S* (\\S+)")
            .matcher(client.get("/q/metrics").body());
    assertThat(line.find()).isTrue();
    return Double.parseDouble(line.group(1));
  }

  @Test
  void shouldStoreOnceWhatIsReadTwice() {
    TraceBuilder before = new TraceBuilder();
    log.send(before.created(), before.assigned(1), before.started(1));
    assertThat(client.snapshot(before.run(), 1).head().epoch()).isEqualTo(1);

    var consumer = kafka.<byte[], byte[]>getConsumer("trace");
    consumer
        .runOnPollingThread(
            (Consumer<byte[], byte[]> c) -> {
              c.seekToBeginning(c.assignment());
            })
        .await()
        .indefinitely();
    log.send(before.completed(1, "clone", null), before.ended(1));

    assertThat(client.idsUntilEnd(before.run())).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void shouldGoOnFromItsPositionsAfterARebalance() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    assertThat(client.snapshot(trace.run(), 1).head().epoch()).isEqualTo(1);

    kafka
        .<byte[], byte[]>getConsumer("trace")
        .runOnPollingThread(
            (Consumer<byte[], byte[]> c) -> {
              c.enforceRebalance();
            })
        .await()
        .indefinitely();
    log.send(trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run())).hasSize(4).doesNotHaveDuplicates();
  }

  @Test
  void shouldRefuseAConsumerWhosePartitionMovedOn() {
    int partition = 1_000; // not used elsewhere
    assertThat(positions.read(Set.of(partition)).await().indefinitely())
        .containsEntry(partition, 0L);
    TraceBuilder trace = new TraceBuilder();
    List<ConsumerRecord<byte[], byte[]>> log =
        read(partition, trace.created(), trace.assigned(1), trace.started(1));
    SinkBatch first = SinkBatchDecoder.decode(log.subList(0, 2), Map.of());
    SinkBatch stale = SinkBatchDecoder.decode(log.subList(1, 3), Map.of());

    var stored = writer.write(first, Map.of(partition, 0L)).await().indefinitely();
    var refused = writer.write(stale, Map.of(partition, 1L)).await().indefinitely();
    var rest =
        writer
            .write(stale.from(Map.of(partition, 2L)), Map.of(partition, 2L))
            .await()
            .indefinitely();

    assertThat(stored).isEqualTo(new TraceRepository.Outcome.Stored(2));
    assertThat(refused).isEqualTo(new TraceRepository.Outcome.Moved());
    assertThat(rest).isEqualTo(new TraceRepository.Outcome.Stored(1));
    assertThat(positions.read(Set.of(partition)).await().indefinitely())
        .containsEntry(partition, 3L);
    assertThat(client.events(trace.run(), false))
        .extracting(Event::getPosition)
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void shouldMoveAllPositionsOrNone() {
    int mine = 1_004;
    int taken = 1_005;
    positions.read(Set.of(mine, taken)).await().indefinitely();
    TraceBuilder one = new TraceBuilder();
    TraceBuilder two = new TraceBuilder();
    List<ConsumerRecord<byte[], byte[]>> both = new ArrayList<>();
    both.addAll(read(mine, one.created(), one.completed(1, "a", TraceBuilder.cut("a"))));
    both.addAll(read(taken, two.created(), two.completed(1, "a", TraceBuilder.cut("a"))));
    SinkBatch batch = SinkBatchDecoder.decode(both, Map.of());
    SinkBatch others = SinkBatchDecoder.decode(both.subList(2, 3), Map.of());

    var first = writer.write(others, Map.of(taken, 0L)).await().indefinitely();
    var refused = writer.write(batch, Map.of(mine, 0L, taken, 0L)).await().indefinitely();
    Map<Integer, Long> after = positions.read(Set.of(mine, taken)).await().indefinitely();
    var rest =
        writer
            .write(batch.from(Map.of(mine, 0L, taken, 1L)), Map.of(mine, 0L, taken, 1L))
            .await()
            .indefinitely();

    assertThat(first).isEqualTo(new TraceRepository.Outcome.Stored(1));
    assertThat(refused).isEqualTo(new TraceRepository.Outcome.Moved());
    assertThat(after).isEqualTo(Map.of(mine, 0L, taken, 1L));
    assertThat(rest).isEqualTo(new TraceRepository.Outcome.Stored(3));
    assertThat(client.events(one.run(), false)).hasSize(2);
    assertThat(client.get("/runs/" + two.run() + "/checkpoints").body()).contains("baton-tree-2");
  }

  @Test
  void shouldBuryPoisonAndMoveOn() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created());
    ProducerRecord<String, byte[]> poison =
        new ProducerRecord<>(TopicName.TRACE, trace.run(), "{not json".getBytes(UTF_8));
    poison.headers().add("ce_type", "dev.baton.step_started".getBytes(UTF_8));
    RecordMetadata where = log.send(poison).getFirst();

    log.send(trace.assigned(1), trace.started(1), trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run())).hasSize(4);
    ConsumerRecord<byte[], byte[]> letter =
        log.find(
            TopicName.deadLetters(TopicName.TRACE),
            record -> record.key() != null && trace.run().equals(new String(record.key(), UTF_8)));
    assertThat(letter.value()).isEqualTo(poison.value());
    assertThat(header(letter, "ce_type")).isEqualTo("dev.baton.step_started");
    assertThat(header(letter, "baton_reason")).startsWith("not a CloudEvent");
    assertThat(header(letter, "baton_topic")).isEqualTo(TopicName.TRACE);
    assertThat(header(letter, "baton_partition")).isEqualTo(Integer.toString(where.partition()));
    assertThat(header(letter, "baton_offset")).isEqualTo(Long.toString(where.offset()));
    assertThat(letter.headers().toArray())
        .extracting(Header::key)
        .containsExactlyInAnyOrder(
            "ce_type", "baton_reason", "baton_topic", "baton_partition", "baton_offset");
    assertThat(client.get("/q/metrics").body())
        .containsPattern("baton_store_dead_letters_total\\S* [1-9]")
        .contains("kafka_consumer_fetch_manager_records_lag");
  }

  @Test
  void shouldMoveOnFromEveryKindOfPoison() {
    TraceBuilder trace = new TraceBuilder();
    ProducerRecord<String, byte[]> nul = trace.started(7);
    nul.headers().remove("ce_source");
    nul.headers().add("ce_source", "/test".getBytes(UTF_8));
    nul.headers().add("ce_batonlease", "a\0b".getBytes(UTF_8));
    byte[] large = new byte[1_048_450]; // exceeds the broker's limit with the reason
    ProducerRecord<String, byte[]> largeHeader =
        new ProducerRecord<>(TopicName.TRACE, trace.run(), null);
    largeHeader.headers().add("more", large);

    log.send(
        largeHeader,
        new ProducerRecord<>(TopicName.TRACE, "k".repeat(large.length), null),
        new ProducerRecord<>(TopicName.TRACE, trace.run(), null),
        new ProducerRecord<>(TopicName.TRACE, 0, null, null),
        new ProducerRecord<>(TopicName.TRACE, trace.run(), large),
        nul,
        trace.created(),
        trace.assigned(1),
        trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run())).hasSize(3);
    ConsumerRecord<byte[], byte[]> shortened =
        log.find(
            TopicName.deadLetters(TopicName.TRACE),
            record -> record.headers().lastHeader("baton_value_bytes") != null);
    assertThat(header(shortened, "baton_value_bytes")).isEqualTo("1048450");
    ConsumerRecord<byte[], byte[]> bare =
        log.find(
            TopicName.deadLetters(TopicName.TRACE),
            record -> record.headers().lastHeader("baton_headers_bytes") != null);
    assertThat(header(bare, "baton_reason")).isNotEmpty();
    assertThat(bare.headers().lastHeader("more")).isNull();
  }

  @Test
  void shouldMoveOnFromHeadersWithoutValues() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created());
    RecordMetadata last = null;
    for (String key : List.of("ce_specversion", "content-type", "ce_more", "ce_type", "ce_id")) {
      ProducerRecord<String, byte[]> broken = trace.started(7);
      broken.headers().remove(key);
      broken.headers().add(key, null);
      last = log.send(broken).getFirst();
    }
    log.send(trace.assigned(1), trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run())).contains(trace.run() + "/1/1");
    assertThat(header(letterOf(Objects.requireNonNull(last)), "baton_reason")).isNotEmpty();
  }

  @Test
  void shouldBuryACutWithoutAFormat() {
    TraceBuilder trace = new TraceBuilder();
    ProducerRecord<String, byte[]> whole = trace.completed(1, "clone", TraceBuilder.cut("a"));
    byte[] data =
        new String(whole.value(), UTF_8)
            .replace("\"format\":\"baton-tree-2\",", "")
            .getBytes(UTF_8);
    assertThat(data).hasSizeLessThan(whole.value().length);
    ProducerRecord<String, byte[]> broken =
        new ProducerRecord<>(TopicName.TRACE, null, trace.run(), data, whole.headers());
    RecordMetadata where =
        log.send(trace.created(), trace.assigned(1), broken, trace.ended(2)).get(2);

    assertThat(client.snapshot(trace.run(), 1).head().epoch()).isEqualTo(1);
    assertThat(header(letterOf(where), "baton_reason")).contains("format");
  }

  @Test
  void shouldBuryWhatPostgresRefusesAndStoreTheRest() {
    int partition = 1_003; // not used elsewhere
    positions.read(Set.of(partition)).await().indefinitely();
    TraceBuilder trace = new TraceBuilder();
    List<ConsumerRecord<byte[], byte[]>> records =
        read(
            partition,
            trace.created(),
            trace.assigned(1),
            trace.started(1),
            trace.completed(1, "clone", TraceBuilder.cut("a")),
            trace.completed(1, "gather", TraceBuilder.cut("b")),
            trace.ended(1));
    SinkBatch good = SinkBatchDecoder.decode(records, Map.of());
    List<SinkRecord> rows = new ArrayList<>(good.records());
    rows.set(2, refused(rows.get(2)));
    rows.set(5, refused(rows.get(5)));

    new TraceSink(
            Map.of("bootstrap.servers", servers),
            work -> Uni.createFrom().item(Set.of()),
            handler,
            positions,
            deadLetters,
            fatal)
        .apply(new SinkBatch(rows, List.of(), good.spans()), Map.of(partition, 0L))
        .await()
        .indefinitely();

    assertThat(positions.read(Set.of(partition)).await().indefinitely())
        .containsEntry(partition, 6L);
    assertThat(client.events(trace.run(), false))
        .extracting(Event::getPosition)
        .containsExactly(1L, 2L, 4L, 5L);
    assertThat(client.get("/runs/" + trace.run() + "/checkpoints").body())
        .contains("clone", "gather");
    for (int offset : new int[] {2, 5}) {
      ConsumerRecord<byte[], byte[]> letter =
          letterOf(
              new RecordMetadata(
                  new TopicPartition(TopicName.TRACE, partition), 0, offset, 0, 0, 0));
      assertThat(header(letter, "baton_reason")).contains("was refused by Postgres", "0x00");
    }
  }

  @Test
  void shouldBuryARowThatExceedsALimitOfPostgres() {
    TraceBuilder trace = new TraceBuilder();
    // Random, since Postgres compresses the rows of an index.
    String id =
        new Random(1)
            .ints(10_000, 'a', 'z' + 1)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    RecordMetadata where =
        log.send(
                trace.created(),
                trace.assigned(1),
                trace.completed(1, "clone", TraceBuilder.cut("a").withCheckpoint(id)),
                trace.completed(1, "gather", TraceBuilder.cut("b")),
                trace.ended(1))
            .get(2);

    assertThat(client.until(() -> client.events(trace.run(), false), stored -> stored.size() == 4))
        .extracting(Event::getId)
        .containsExactly(
            trace.run() + "/c/1", trace.run() + "/c/2", trace.run() + "/1/2", trace.run() + "/1/3");
    assertThat(header(letterOf(where), "baton_reason"))
        .contains("was refused by Postgres", "index row");
  }

  private static SinkRecord refused(SinkRecord row) {
    return new SinkRecord(
        row.record(), row.id(), "a\0b", row.source(), row.time(), null, row.data(), row.known());
  }

  private ConsumerRecord<byte[], byte[]> letterOf(RecordMetadata where) {
    return log.find(
        TopicName.deadLetters(TopicName.TRACE),
        letter ->
            header(letter, "baton_offset").equals(Long.toString(where.offset()))
                && header(letter, "baton_partition").equals(Integer.toString(where.partition())));
  }

  @Test
  void shouldKeepTypesAndFieldsThatItDoesNotKnow() {
    TraceBuilder trace = new TraceBuilder();
    ProducerRecord<String, byte[]> future = trace.started(1);
    future.headers().remove("ce_type");
    future.headers().add("ce_type", "dev.baton.run_teleported".getBytes(UTF_8));
    byte[] data = "{ \"to\":\"\\u0000\", \"zeta\" : 1.50}".getBytes(UTF_8);

    log.send(
        trace.created(),
        trace.assigned(1),
        new ProducerRecord<>(TopicName.TRACE, null, trace.run(), data, future.headers()),
        trace.ended(1));

    client.idsUntilEnd(trace.run());
    Event kept = client.events(trace.run(), false).get(2);
    assertThat(kept.getType()).isEqualTo("dev.baton.run_teleported");
    assertThat(kept.getData().toByteArray()).isEqualTo(data);
    assertThat(client.get("/runs/" + trace.run() + "/events?after=0&limit=3").body())
        .contains("run_teleported");
    assertThat(wakeups.size()).isZero();
  }

  @Test
  void shouldStoreFoldAndShowAnEventOfARecordedTraceUnderItsNewName() {
    TraceBuilder trace = new TraceBuilder();
    ProducerRecord<String, byte[]> old =
        trace.runner(
            1,
            new TraceEvent.ApprovalRequested(
                "ask", "q", "continue?", null, null, null, null, null));
    // Every trace that was recorded before the rename has this name.
    old.headers().remove("ce_type");
    old.headers().add("ce_type", "dev.baton.checkpoint_waiting".getBytes(UTF_8));

    log.send(trace.created(), trace.assigned(1), old, trace.ended(1));

    client.idsUntilEnd(trace.run());
    Event kept = client.events(trace.run(), false).get(2);
    assertThat(kept.getType()).isEqualTo("dev.baton.approval_requested");
    assertThat(client.get("/runs/" + trace.run() + "/snapshot").body())
        .contains("\"step\":\"ask\"");
    assertThat(
            new StoredEvent(
                3,
                EventId.parse(kept.getId()),
                "dev.baton.checkpoint_waiting",
                "/test",
                0L,
                old.value()))
        .satisfies(
            event -> {
              assertThat(event.type()).isEqualTo("dev.baton.approval_requested");
              assertThat(event.typed()).isPresent();
            });
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(
      int partition, ProducerRecord<?, byte[]>... produced) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (ProducerRecord<?, byte[]> record : produced) {
      ConsumerRecord<byte[], byte[]> read =
          new ConsumerRecord<>(
              TopicName.TRACE,
              partition,
              records.size(),
              record.key().toString().getBytes(UTF_8),
              record.value());
      record.headers().forEach(read.headers()::add);
      records.add(read);
    }
    return records;
  }

  private static String header(ConsumerRecord<?, ?> record, String key) {
    Header header = record.headers().lastHeader(key);
    assertThat(header).as(key).isNotNull();
    return new String(header.value(), UTF_8);
  }
}
