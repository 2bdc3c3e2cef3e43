/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventId;
import dev.baton.store.events.StoredEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes events as JSON lines, in log order: {@code
 * {"id":…,"type":…,"source":…,"time":…,"data":…}}. The data are the original bytes; if they contain
 * a line break (which JSON allows between tokens), they are a string in {@code data_text} instead.
 * The position is not included, since it is specific to one log; nor is the lease.
 */
final class TraceLineCodec {
  /** Longer than the largest record in Kafka. */
  private static final int LONGEST = 16 << 20;

  private static final JsonFactory JSON = new JsonFactory();
  private static final byte[] DATA = utf8(",\"data\":");
  private static final byte[] TEXT = utf8(",\"data_text\":");
  private static final byte[] END = utf8("}\n");

  /** A decoded event that can be appended to the trace topic. */
  record Line(EventId id, String type, String source, @Nullable Instant time, byte[] data) {}

  private TraceLineCodec() {}

  static void write(StoredEvent event, OutputStream out) throws IOException {
    Map<String, String> head = new LinkedHashMap<>();
    head.put("id", event.id().toString());
    head.put("type", event.type());
    head.put("source", event.source());
    if (event.timeMicros() != null) {
      head.put("time", event.time().toString());
    }
    byte[] first = Json.bytes(head);
    out.write(first, 0, first.length - 1);
    if (hasLineBreak(event.data())) {
      out.write(TEXT);
      out.write(Json.bytes(new String(event.data(), StandardCharsets.UTF_8)));
    } else {
      out.write(DATA);
      out.write(event.data());
    }
    out.write(END);
  }

  private static boolean hasLineBreak(byte[] data) {
    for (byte b : data) {
      if (b == '\n' || b == '\r') {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads the bytes of the next line without its line end; null at the end of the stream.
   *
   * @param in buffered
   */
  static byte @Nullable [] next(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        if (line.size() == 0) {
          return null;
        }
        throw new IOException("the last line has no end");
      }
      if (line.size() == LONGEST) {
        throw new IOException("a line has more than " + LONGEST + " bytes");
      }
      line.write(b);
    }
    return line.toByteArray();
  }

  /**
   * @throws IOException with the reason if the line is invalid
   */
  static Line read(byte[] line) throws IOException {
    Map<String, String> head = new LinkedHashMap<>();
    byte[] data = null;
    try (JsonParser parser = JSON.createParser(line)) {
      require(parser.nextToken() == JsonToken.START_OBJECT, "it is not a JSON object");
      while (data == null && parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (name.equals("data")) {
          int start = (int) parser.currentTokenLocation().getByteOffset() + DATA.length - 1;
          data = Arrays.copyOfRange(line, start, line.length - 1);
          require(line[line.length - 1] == '}', "it does not end with its data");
        } else {
          require(parser.nextToken() == JsonToken.VALUE_STRING, name + " is not a string");
          if (name.equals("data_text")) {
            data = utf8(parser.getText());
          } else {
            head.put(name, parser.getText());
          }
        }
      }
    }
    if (data == null) {
      throw wrong("it has no data");
    }
    try {
      require(Json.tree(data).isObject(), "its data is not a JSON object");
      String time = head.get("time");
      return new Line(
          EventId.parse(text(head, "id")),
          text(head, "type"),
          text(head, "source"),
          time == null ? null : Instant.parse(time).truncatedTo(ChronoUnit.MICROS),
          data);
    } catch (IllegalArgumentException
        | java.time.DateTimeException
        | java.io.UncheckedIOException e) {
      throw new IOException("a line of the trace cannot be read: " + e.getMessage(), e);
    }
  }

  private static String text(Map<String, String> head, String name) throws IOException {
    String text = head.get(name);
    if (text == null) {
      throw wrong("it has no " + name);
    }
    return text;
  }

  private static void require(boolean right, String wrong) throws IOException {
    if (!right) {
      throw wrong(wrong);
    }
  }

  private static IOException wrong(String what) {
    return new IOException("a line of the trace cannot be read: " + what);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
