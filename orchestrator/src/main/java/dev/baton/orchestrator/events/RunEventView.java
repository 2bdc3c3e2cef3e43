/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventTypeRegistry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * An event as the API returns it.
 *
 * @param position of the event in the run's trace
 * @param type without the prefix {@code dev.baton.}
 * @param data as received, including unknown fields
 */
@Schema(name = "RunEvent")
public record RunEventView(
    long position, String id, String type, String source, Instant time, JsonNode data) {

  static RunEventView of(Event event) {
    return new RunEventView(
        event.getPosition(),
        event.getId(),
        shortType(event.getType()),
        event.getSource(),
        Instant.EPOCH.plus(event.getTimeMicros(), ChronoUnit.MICROS),
        Json.tree(event.getData().toByteArray()));
  }

  private static String shortType(String type) {
    return type.startsWith(EventTypeRegistry.PREFIX)
        ? type.substring(EventTypeRegistry.PREFIX.length())
        : type;
  }
}
