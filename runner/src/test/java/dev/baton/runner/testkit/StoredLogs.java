/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.Zstd;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogRecordReader;
import io.minio.GetObjectArgs;
import io.minio.MinioClient;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The acknowledged logs of runs, in the real S3 server. Thread-safe. */
public final class StoredLogs {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private record Chunk(String key, LogIndex index) {}

  /** A line. */
  public record Line(int epoch, long number, String step, LogRecord record) {
    public String text() {
      return new String(record.bytes(), UTF_8);
    }
  }

  private final MinioClient s3;
  private final String bucket;
  private final List<Chunk> chunks = new ArrayList<>();

  StoredLogs(MinioClient s3, String bucket) {
    this.s3 = s3;
    this.bucket = bucket;
  }

  static String key(PrepareLogChunkRequest request) {
    return key(request.getCaller().getProject(), request.getCaller().getRun(), request.getDigest());
  }

  private static String key(String project, String run, String digest) {
    return project + "/logs/" + run + "/" + digest.replace(':', '-');
  }

  synchronized void commit(CommitLogChunkRequest request) {
    LogIndex index = Json.read(request.getIndex().toByteArray(), LogIndex.class);
    index.check(request.getSizeBytes());
    // Like the store: of two chunks that begin with the same line the longer one counts.
    Predicate<Chunk> same =
        chunk ->
            chunk.index().run().equals(index.run())
                && chunk.index().epoch() == index.epoch()
                && chunk.index().firstLine() == index.firstLine();
    if (chunks.stream().filter(same).anyMatch(chunk -> chunk.index().lines() > index.lines())) {
      return;
    }
    chunks.removeIf(same);
    chunks.add(
        new Chunk(
            key(
                request.getCaller().getProject(),
                request.getCaller().getRun(),
                request.getDigest()),
            index));
    notifyAll();
  }

  /** Returns the chunks' indexes, in the order of their lines. */
  public synchronized List<LogIndex> indexes(String run) {
    return of(run).stream().map(Chunk::index).toList();
  }

  private List<Chunk> of(String run) {
    return chunks.stream()
        .filter(chunk -> chunk.index().run().equals(run))
        .sorted(
            Comparator.<Chunk>comparingInt(chunk -> chunk.index().epoch())
                .thenComparingLong(chunk -> chunk.index().firstLine()))
        .toList();
  }

  /** Waits, for a minute at most, until the indexes satisfy the condition. */
  public synchronized List<LogIndex> await(String run, Predicate<List<LogIndex>> wanted)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!wanted.test(indexes(run))) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("the log is " + indexes(run));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return indexes(run);
  }

  /** Waits until an epoch's last chunk is acknowledged. */
  public List<LogIndex> awaitLast(String run, int epoch) throws InterruptedException {
    return await(
        run, all -> all.stream().anyMatch(index -> index.epoch() == epoch && index.last()));
  }

  /** Returns all lines, read frame by frame; numbers have no gap within each epoch. */
  public List<Line> lines(String run) throws Exception {
    List<Chunk> all;
    synchronized (this) {
      all = of(run);
    }
    List<Line> lines = new ArrayList<>();
    for (Chunk chunk : all) {
      byte[] object;
      try (InputStream in =
          s3.getObject(GetObjectArgs.builder().bucket(bucket).object(chunk.key()).build())) {
        object = in.readAllBytes();
      }
      for (LogIndex.Frame frame : chunk.index().frames()) {
        byte[] raw =
            Zstd.decompress(
                Arrays.copyOfRange(object, frame.offset(), frame.offset() + frame.size()),
                frame.raw());
        LogRecordReader reader = new LogRecordReader(raw, 0, raw.length);
        long number = frame.firstLine();
        for (LogRecord next = reader.next(); next != null; next = reader.next()) {
          String step = chunk.index().attempts().get(next.attempt()).of().step();
          lines.add(new Line(chunk.index().epoch(), number++, step, next));
        }
        if (number != frame.firstLine() + frame.lines()) {
          throw new AssertionError("a frame ends before line " + number + ": " + frame);
        }
      }
    }
    return lines;
  }
}
