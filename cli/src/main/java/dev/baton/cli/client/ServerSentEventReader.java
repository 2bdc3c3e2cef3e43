/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads a {@code text/event-stream} as defined in the HTML standard. Not thread-safe. */
final class ServerSentEventReader implements Closeable {
  private static final int LIMIT = 16 << 20;

  private final BufferedReader reader;
  private String lastId = "";

  ServerSentEventReader(InputStream in) {
    this.reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  /** One event; {@code id} is the latest id received, as the standard requires. */
  record Message(String id, String event, String data) {}

  /**
   * Returns the next event with data, or null at the end of the stream.
   *
   * @throws IOException when the connection breaks, or an event is larger than 16 MiB
   */
  @Nullable Message next() throws IOException {
    String event = "message";
    StringBuilder data = new StringBuilder();
    boolean any = false;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (line.isEmpty()) {
        if (any) {
          return new Message(lastId, event, data.toString());
        }
        event = "message";
        continue;
      }
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1);
      if (value.startsWith(" ")) {
        value = value.substring(1);
      }
      switch (field) {
        case "id" -> lastId = value;
        case "event" -> event = value;
        case "data" -> {
          if (any) {
            data.append('\n');
          }
          data.append(value);
          any = true;
          if (data.length() > LIMIT) {
            throw new IOException("an event is larger than 16 MiB");
          }
        }
        default -> {
          // A comment (keep-alive), retry, or a field of a later standard.
        }
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
