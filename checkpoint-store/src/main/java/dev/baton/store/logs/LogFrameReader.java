/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogRecordReader;
import dev.baton.store.objects.BucketClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Reads the frames of log chunks. Blocks. Thread-safe. */
@ApplicationScoped
class LogFrameReader {
  private final BucketClient bucket;

  LogFrameReader(BucketClient bucket) {
    this.bucket = bucket;
  }

  /**
   * Reads the records of a frame.
   *
   * @throws IOException if the bytes do not match the index
   * @throws dev.baton.store.failure.StoreRequestException NOT_FOUND if the object does not exist
   */
  List<LogRecord> read(LogChunkName name, LogIndex.Frame frame) throws IOException {
    byte[] packed;
    try (InputStream in = bucket.open(name.key(), frame.offset(), (long) frame.size())) {
      packed = in.readNBytes(frame.size());
    }
    byte[] raw = new byte[frame.raw()];
    try (ZstdDecompressCtx zstd = new ZstdDecompressCtx()) {
      int length = zstd.decompressByteArray(raw, 0, raw.length, packed, 0, packed.length);
      if (length != raw.length) {
        throw new IOException("a frame has " + length + " bytes instead of " + raw.length);
      }
      List<LogRecord> records = new ArrayList<>();
      LogRecordReader reader = new LogRecordReader(raw, 0, raw.length);
      for (LogRecord next = reader.next(); next != null; next = reader.next()) {
        records.add(next);
      }
      if (records.size() != frame.lines()) {
        throw new IOException(
            "a frame has " + records.size() + " lines instead of " + frame.lines());
      }
      return records;
    } catch (ZstdException | IllegalArgumentException e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }
}
