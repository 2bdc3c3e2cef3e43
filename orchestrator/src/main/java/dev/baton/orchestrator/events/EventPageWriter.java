/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import io.smallrye.mutiny.Multi;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes a page of events as JSON while it is still reading them, so that the first byte does not
 * wait for the last event. When reading fails before the first event, nothing has been written.
 */
final class EventPageWriter {
  private static final byte[] BEGIN = "{\"events\":[".getBytes(StandardCharsets.UTF_8);
  private static final byte[] END = "]}".getBytes(StandardCharsets.UTF_8);

  private EventPageWriter() {}

  /**
   * @param events groups of events, each as JSON
   */
  static Multi<byte[]> page(Multi<List<byte[]>> events) {
    return Multi.createFrom()
        .deferred(
            () -> {
              AtomicBoolean begun = new AtomicBoolean();
              return Multi.createBy()
                  .concatenating()
                  .streams(
                      events.map(group -> bytes(group, begun.getAndSet(true))),
                      Multi.createFrom().deferred(() -> Multi.createFrom().item(end(begun.get()))));
            });
  }

  private static byte[] bytes(List<byte[]> group, boolean begun) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    boolean first = !begun;
    if (first) {
      all.writeBytes(BEGIN);
    }
    for (byte[] event : group) {
      if (!first) {
        all.write(',');
      }
      first = false;
      all.writeBytes(event);
    }
    return all.toByteArray();
  }

  private static byte[] end(boolean begun) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if (!begun) {
      all.writeBytes(BEGIN);
    }
    all.writeBytes(END);
    return all.toByteArray();
  }
}
