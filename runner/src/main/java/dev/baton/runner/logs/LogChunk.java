/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogIndex;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A chunk of a log as one object: compressed frames, the index, its length and a magic number.
 *
 * @param object the chunk is in its first {@code length} bytes
 * @param indexBytes the index as JSON
 */
public record LogChunk(LogIndex index, byte[] object, int length, byte[] indexBytes) {
  private static final int LEVEL = 3;

  /**
   * Compresses records into a chunk.
   *
   * @param records complete records, as the builder has counted them
   * @param last whether they are the epoch's last
   */
  static LogChunk of(LogIndexBuilder builder, byte[] records, boolean last) {
    byte[] object = new byte[0];
    int at = 0;
    List<LogIndex.Frame> frames = new ArrayList<>();
    try (ZstdCompressCtx zstd =
        new ZstdCompressCtx().setLevel(LEVEL).setChecksum(true).setContentSize(true)) {
      for (int i = 0; i < builder.frames(); i++) {
        int from = builder.offset(i, records.length);
        int raw = builder.offset(i + 1, records.length) - from;
        int bound = (int) Zstd.compressBound(raw);
        if (object.length - at < bound) {
          object = Arrays.copyOf(object, Math.max(object.length * 2, at + bound));
        }
        int size = zstd.compressByteArray(object, at, object.length - at, records, from, raw);
        frames.add(builder.frame(i, at, size, records.length));
        at += size;
      }
    }
    LogIndex index = builder.index(frames, last);
    byte[] json = Json.bytes(index);
    byte[] whole = Arrays.copyOf(object, at + json.length + LogIndex.TRAILER);
    ByteBuffer end = ByteBuffer.wrap(whole, at, json.length + LogIndex.TRAILER);
    end.put(json).putInt(json.length).putInt(LogIndex.MAGIC);
    return new LogChunk(index, whole, whole.length, json);
  }
}
