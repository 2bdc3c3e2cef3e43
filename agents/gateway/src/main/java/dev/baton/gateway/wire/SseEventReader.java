/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events from a stream, with a bound on the bytes of one event. Comments and the
 * fields {@code id} and {@code retry} are skipped. An event that the end of the stream cuts off is
 * dropped, as the standard requires. Used by one thread.
 */
public final class SseEventReader {
  private final InputStream in;
  private final int maxEventBytes;
  private final byte[] buffer = new byte[16 * 1024];
  private int position;
  private int limit;
  private boolean skipLineFeed;

  /**
   * @param maxEventBytes bound on one event, in bytes
   */
  public SseEventReader(InputStream in, int maxEventBytes) {
    this.in = in;
    this.maxEventBytes = maxEventBytes;
  }

  /**
   * Reads the next event.
   *
   * @return null at the end of the stream
   * @throws MalformedAnswerException when an event is larger than the bound, is not UTF-8, or a
   *     line is not a field of an event
   * @throws IOException when the stream cannot be read
   */
  public @Nullable SseEvent next() throws IOException {
    String name = null;
    StringBuilder data = null;
    int size = 0;
    while (true) {
      String line = line(maxEventBytes - size);
      if (line == null) {
        return null;
      }
      size += line.length();
      if (line.isEmpty()) {
        if (data != null) {
          return new SseEvent(name, data.toString());
        }
        name = null;
        size = 0;
        continue;
      }
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1);
      value = value.startsWith(" ") ? value.substring(1) : value;
      switch (field) {
        case "event" -> name = value;
        case "data" -> {
          if (data == null) {
            data = new StringBuilder();
          } else {
            data.append('\n');
          }
          data.append(value);
        }
        case "", "id", "retry" -> {}
        default -> throw new MalformedAnswerException("a line is not a field of an event");
      }
    }
  }

  private @Nullable String line(int max) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    while (true) {
      if (position == limit) {
        int read = in.read(buffer);
        if (read < 0) {
          return null;
        }
        position = 0;
        limit = read;
        continue;
      }
      byte b = buffer[position++];
      if (skipLineFeed) {
        skipLineFeed = false;
        if (b == '\n') {
          continue;
        }
      }
      if (b == '\n' || b == '\r') {
        skipLineFeed = b == '\r';
        return decoded(line.toByteArray());
      }
      if (line.size() >= max) {
        throw new MalformedAnswerException("an event is larger than " + maxEventBytes + " bytes");
      }
      line.write(b);
    }
  }

  private static String decoded(byte[] bytes) throws MalformedAnswerException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MalformedAnswerException("an event is not UTF-8");
    }
  }
}
