/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.LogLine;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.store.logs.LogChunkName;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.testing.LogUploader;
import dev.baton.store.testing.LogUploader.Line;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.minio.messages.Item;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Reads committed log chunks back, by position, step, time and count. */
@QuarkusTest
class LogChunkServiceTest extends StoreTest {
  @Inject Pool pool;
  @Inject BucketClient bucket;

  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();

  private LogUploader uploader() {
    return new LogUploader(client, run, new LogAttempt("a", 1, 1), new LogAttempt("b", 1, 2));
  }

  private static List<Line> lines(int from, int to, IntFunction<Integer> attempt) {
    return IntStream.range(from, to)
        .mapToObj(i -> new Line(attempt.apply(i), 1_000 + i, "line " + i))
        .toList();
  }

  /** 100 lines in three chunks of epoch 1, which is cut off, and 20 lines of epoch 2. */
  private void two() {
    LogUploader uploader = uploader();
    uploader.put(1, 1, false, lines(1, 41, i -> 0));
    uploader.put(1, 41, false, lines(41, 81, i -> i % 2));
    uploader.put(1, 81, false, lines(81, 101, i -> 1));
    uploader.put(2, 1, true, lines(101, 121, i -> 0));
  }

  private ReadLogResponse read(ReadLogRequest.Builder request) {
    return client.snapshots().readLog(request.setRun(run).build());
  }

  private List<String> all(ReadLogRequest.Builder request) {
    List<String> texts = new ArrayList<>();
    while (true) {
      ReadLogResponse page = read(request);
      page.getLinesList().forEach(line -> texts.add(line.getText().toStringUtf8()));
      if (page.getEnd()) {
        return texts;
      }
      request.setFromEpoch(page.getNextEpoch()).setFromLine(page.getNextLine()).setTail(0);
    }
  }

  private static List<String> texts(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "line " + i).toList();
  }

  @Test
  void shouldGiveAllLinesInOrderAndSayWhoseRunnerDied() {
    two();

    ReadLogResponse page = read(ReadLogRequest.newBuilder());

    assertThat(page.getLinesList().stream().map(line -> line.getText().toStringUtf8()))
        .isEqualTo(texts(1, 121));
    assertThat(page.getLinesList().stream().map(LogLine::getLine).skip(100))
        .isEqualTo(IntStream.rangeClosed(1, 20).mapToObj(i -> (long) i).toList());
    assertThat(page.getCutOffList()).containsExactly(1);
    assertThat(page.getEnd()).isTrue();
    assertThat(page.getClosed()).isTrue();
    assertThat(page.getNextEpoch()).isEqualTo(2);
    assertThat(page.getNextLine()).isEqualTo(21);
    assertThat(page.getLastMicros()).isEqualTo(1_120L * 1_000_000);
  }

  @Test
  void shouldReadFromAPlaceInPages() {
    two();

    ReadLogResponse page =
        read(ReadLogRequest.newBuilder().setFromEpoch(1).setFromLine(55).setLimit(7));

    assertThat(page.getLinesList().stream().map(line -> line.getText().toStringUtf8()))
        .isEqualTo(texts(55, 62));
    assertThat(page.getEnd()).isFalse();
    assertThat(page.getNextLine()).isEqualTo(62);
    assertThat(all(ReadLogRequest.newBuilder().setLimit(7))).isEqualTo(texts(1, 121));
    assertThat(all(ReadLogRequest.newBuilder().setFromEpoch(2).setFromLine(21))).isEmpty();
  }

  @Test
  void shouldReadTheLinesOfAStepOfATimeAndTheLast() {
    two();

    assertThat(all(ReadLogRequest.newBuilder().setStep("b")))
        .hasSize(40)
        .startsWith("line 41")
        .endsWith("line 100");
    assertThat(all(ReadLogRequest.newBuilder().setAttempt(2))).hasSize(40);
    assertThat(all(ReadLogRequest.newBuilder().setVisit(2))).isEmpty();
    assertThat(
            all(
                ReadLogRequest.newBuilder()
                    .setSinceMicros(1_095L * 1_000_000)
                    .setUntilMicros(1_103L * 1_000_000)))
        .isEqualTo(texts(95, 103));
    assertThat(all(ReadLogRequest.newBuilder().setTail(33))).isEqualTo(texts(88, 121));
    assertThat(all(ReadLogRequest.newBuilder().setTail(1_000))).isEqualTo(texts(1, 121));
    assertThat(all(ReadLogRequest.newBuilder().setTail(23).setStep("b")))
        .hasSize(23)
        .startsWith("line 75", "line 77")
        .endsWith("line 100");
    assertStatus(
        () -> read(ReadLogRequest.newBuilder().setTail(1).setUntilMicros(1)),
        Status.Code.INVALID_ARGUMENT,
        "exclude");
  }

  @Test
  void shouldSayWhichLinesAreMissing() {
    LogUploader uploader = uploader();
    uploader.put(1, 1, false, lines(1, 21, i -> 0));
    LogUploader.Made lost = uploader.make(1, 21, false, lines(21, 41, i -> 0));
    uploader.upload(lost);
    uploader.commit(lost);
    uploader.put(1, 51, true, lines(51, 61, i -> 0));
    for (Item object : bucket.list(LogChunkName.prefix("default", run))) {
      if (object.objectName().contains("-000000000000021-")) {
        bucket.remove(object.objectName()).await().atMost(Duration.ofSeconds(10));
      }
    }

    ReadLogResponse page = read(ReadLogRequest.newBuilder());

    List<LogLine> notices =
        page.getLinesList().stream().filter(line -> line.getStream() == 2).toList();
    assertThat(notices.stream().mapToLong(LogLine::getMissingLines).sum()).isEqualTo(30);
    assertThat(notices.getFirst().getText().toStringUtf8()).contains("cannot be read", run);
    assertThat(notices.getLast().getText().toStringUtf8())
        .isEqualTo("10 lines are missing here: they were never acknowledged");
    assertThat(page.getLinesList()).hasSize(30 + notices.size());
    assertThat(page.getClosed()).isTrue();
  }

  @Test
  void shouldCountNothingThatIsNotAcknowledgedAndRefuseWhatIsNoChunk() {
    LogUploader uploader = uploader();
    LogUploader.Made made = uploader.make(1, 1, true, lines(1, 11, i -> 0));
    assertStatus(() -> uploader.commit(made), Status.Code.INVALID_ARGUMENT, "is not there");
    uploader.upload(made);
    assertThat(read(ReadLogRequest.newBuilder()).getBegun()).isFalse();
    assertStatus(
        () -> new LogUploader(client, new TraceBuilder().run()).commit(made),
        Status.Code.INVALID_ARGUMENT,
        "it is of run " + run);

    uploader.commit(made);
    uploader.commit(made);

    assertThat(all(ReadLogRequest.newBuilder())).isEqualTo(texts(1, 11));
    LogUploader.Made longer = uploader.make(1, 1, true, lines(1, 16, i -> 0));
    uploader.upload(longer);
    uploader.commit(longer);
    assertThat(all(ReadLogRequest.newBuilder()))
        .as("a runner that was presumed dead uploaded more")
        .isEqualTo(texts(1, 16));
  }

  @Test
  void shouldComeBackFromTheObjectsAloneAndGoWithItsRun() {
    two();
    pool.preparedQuery("DELETE FROM store.log_chunk WHERE run = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(Duration.ofSeconds(10));
    assertThat(all(ReadLogRequest.newBuilder())).isEmpty();

    assertThat(
            client
                .maintenance()
                .reindex(ReindexRequest.newBuilder().setProject("default").build())
                .getLogChunks())
        .isGreaterThanOrEqualTo(4);

    assertThat(all(ReadLogRequest.newBuilder())).isEqualTo(texts(1, 121));
    DeleteRunResponse deleted =
        client.maintenance().deleteRun(DeleteRunRequest.newBuilder().setRun(run).build());
    assertThat(deleted.getDeleted().getBlobs()).isEqualTo(4);
    assertThat(deleted.getLeft().getBlobs()).isZero();
    assertThat(bucket.list(LogChunkName.prefix("default", run))).isEmpty();
    assertThat(all(ReadLogRequest.newBuilder())).isEmpty();
  }
}
