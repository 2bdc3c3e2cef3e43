/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An event read from Postgres.
 *
 * @param position strictly increasing within a run
 * @param type under the current name, though it may have been stored under an older one
 * @param timeMicros since the epoch; null if the event has no time
 * @param data JSON, the original bytes
 */
public record StoredEvent(
    long position, EventId id, String type, String source, @Nullable Long timeMicros, byte[] data) {

  public StoredEvent {
    type = EventTypeRegistry.current(type);
  }

  public Instant time() {
    return timeMicros == null ? Instant.EPOCH : Instant.EPOCH.plus(timeMicros, ChronoUnit.MICROS);
  }

  /** Decodes the event for the fold; empty for a type that this version does not support. */
  public Optional<TraceRecord> typed() {
    return EventTypeRegistry.recordOf(type)
        .map(known -> new TraceRecord(id, URI.create(source), time(), read(known)));
  }

  private TraceEvent read(Class<? extends TraceEvent> known) {
    try {
      return Json.mapper().readValue(data, known);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          id + " was stored as " + type + " and cannot be read again: " + e.getOriginalMessage(),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
