/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Stores the unacknowledged events of one run and one epoch in a file, one JSON object per line, in
 * lane order. Each event is on the disk when {@link #add} returns. The producer buffers the same
 * events and sends them by itself; the file remains if it never can. Not thread-safe.
 */
final class EventSpoolFile implements AutoCloseable {
  private final Path file;
  private final FileChannel out;
  private final long maxBytes;
  private long bytes;
  private long events;
  private long lastSeq;

  private EventSpoolFile(Path file, FileChannel out, long maxBytes) {
    this.file = file;
    this.out = out;
    this.maxBytes = maxBytes;
  }

  /**
   * @throws IOException when the file cannot be created; the message names it
   */
  static EventSpoolFile open(Path file, long maxBytes) throws IOException {
    try {
      Files.createDirectories(file.getParent());
      FileChannel out =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      return new EventSpoolFile(file, out, maxBytes);
    } catch (IOException e) {
      throw new IOException("the spool " + file + " cannot be created: " + e, e);
    }
  }

  /**
   * Appends an event. Ignores events that the file already contains.
   *
   * @throws IOException when the file cannot be written or would exceed its limit
   */
  void add(TraceRecord record) throws IOException {
    if (record.id().seq() <= lastSeq) {
      return;
    }
    byte[] line = line(record);
    if (bytes + line.length > maxBytes) {
      throw new IOException(
          "the spool %s is full: %d events in %d bytes, and baton.spool.max is %d"
              .formatted(file, events, bytes, maxBytes));
    }
    try {
      ByteBuffer rest = ByteBuffer.wrap(line);
      while (rest.hasRemaining()) {
        out.write(rest);
      }
      out.force(false);
    } catch (IOException e) {
      throw new IOException("the spool " + file + " cannot be written: " + e.getMessage(), e);
    }
    bytes += line.length;
    events++;
    lastSeq = record.id().seq();
  }

  private static byte[] line(TraceRecord record) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("id", record.id().toString());
    line.put("type", EventTypeRegistry.of(record.event()));
    line.put("time", String.valueOf(record.time()));
    line.set("data", Json.tree(Json.bytes(record.event())));
    byte[] json = Json.bytes(line);
    byte[] ended = Arrays.copyOf(json, json.length + 1);
    ended[json.length] = '\n';
    return ended;
  }

  long lastSeq() {
    return lastSeq;
  }

  RetainedSpoolFile kept() {
    return new RetainedSpoolFile(file, events);
  }

  void delete() throws IOException {
    out.close();
    Files.deleteIfExists(file);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
