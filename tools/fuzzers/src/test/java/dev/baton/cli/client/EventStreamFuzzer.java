/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.fuzz.FuzzAssert;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Streams of events that the command reads. */
public final class EventStreamFuzzer {
  private EventStreamFuzzer() {}

  public static void events(byte[] input) throws IOException {
    try (ServerSentEventReader reader =
        new ServerSentEventReader(new ByteArrayInputStream(input))) {
      for (ServerSentEventReader.Message message = reader.next();
          message != null;
          message = reader.next()) {
        FuzzAssert.require(message.data().indexOf('\r') < 0, "a line end is not data");
      }
    }
  }
}
