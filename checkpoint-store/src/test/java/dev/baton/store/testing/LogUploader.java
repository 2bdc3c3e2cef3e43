/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogRecordWriter;
import dev.baton.protocol.log.LogStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Creates and uploads log chunks as a runner does, with 10 lines per frame. */
public final class LogUploader {
  private static final int FRAME_LINES = 10;

  /** A line of the attempt with this index, read at this second. */
  public record Line(int attempt, long second, String text) {}

  private final StoreTestClient client;
  private final String run;
  private final List<LogAttempt> attempts;

  public LogUploader(StoreTestClient client, String run, LogAttempt... attempts) {
    this.client = client;
    this.run = run;
    this.attempts = List.of(attempts);
  }

  /** Uploads and commits a chunk; returns the object's bytes. */
  public byte[] put(int epoch, long firstLine, boolean last, List<Line> lines) {
    Made made = make(epoch, firstLine, last, lines);
    upload(made);
    commit(made);
    return made.object;
  }

  /** A chunk that is not uploaded yet. */
  public record Made(LogIndex index, byte[] json, byte[] object) {
    String digest() {
      return Digest.of(object);
    }
  }

  public Made make(int epoch, long firstLine, boolean last, List<Line> lines) {
    ByteArrayOutputStream object = new ByteArrayOutputStream();
    List<LogIndex.Frame> frames = new ArrayList<>();
    for (int i = 0; i < lines.size(); i += FRAME_LINES) {
      List<Line> some = lines.subList(i, Math.min(lines.size(), i + FRAME_LINES));
      LogRecordWriter writer = new LogRecordWriter();
      writer.frame();
      for (Line line : some) {
        byte[] text = line.text().getBytes(UTF_8);
        writer.line(
            line.attempt(), LogStream.STDOUT, line.second() * 1_000_000, false, text, text.length);
      }
      byte[] raw = java.util.Arrays.copyOf(writer.buffer(), writer.size());
      byte[] packed = Zstd.compress(raw);
      frames.add(
          new LogIndex.Frame(
              object.size(),
              packed.length,
              raw.length,
              firstLine + i,
              some.size(),
              some.getFirst().second() * 1_000_000,
              some.getLast().second() * 1_000_000));
      object.writeBytes(packed);
    }
    List<LogIndex.Attempt> table = new ArrayList<>();
    for (int i = 0; i < attempts.size(); i++) {
      int number = i;
      table.add(
          new LogIndex.Attempt(
              attempts.get(i), lines.stream().filter(line -> line.attempt() == number).count(), 0));
    }
    LogIndex index =
        new LogIndex(
            LogIndex.SCHEMA,
            run,
            epoch,
            firstLine,
            lines.size(),
            0,
            lines.isEmpty() ? 0 : lines.getFirst().second() * 1_000_000,
            lines.isEmpty() ? 0 : lines.getLast().second() * 1_000_000,
            last,
            LogRecord.Missing.NOTHING,
            table,
            frames);
    byte[] json = Json.bytes(index);
    object.writeBytes(json);
    object.writeBytes(
        ByteBuffer.allocate(LogIndex.TRAILER).putInt(json.length).putInt(LogIndex.MAGIC).array());
    return new Made(index, json, object.toByteArray());
  }

  public void upload(Made made) {
    PrepareLogChunkResponse place =
        client
            .snapshots()
            .prepareLogChunk(
                PrepareLogChunkRequest.newBuilder()
                    .setCaller(Caller.newBuilder().setRun(run).setEpoch(9))
                    .setLogEpoch(made.index.epoch())
                    .setFirstLine(made.index.firstLine())
                    .setDigest(made.digest())
                    .setSizeBytes(made.object.length)
                    .build());
    int status = client.put(place.getPutUrl(), place.getHeadersMap(), made.object).statusCode();
    if (status != 200) {
      throw new AssertionError("PUT answered " + status);
    }
  }

  public void commit(Made made) {
    client
        .snapshots()
        .commitLogChunk(
            CommitLogChunkRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(9))
                .setDigest(made.digest())
                .setSizeBytes(made.object.length)
                .setIndex(ByteString.copyFrom(made.json))
                .build());
  }
}
