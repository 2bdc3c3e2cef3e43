/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One event of a run's trace as returned by the API.
 *
 * @param position in the run's log, rising; the cursor for later events
 * @param type without the prefix: {@code step_completed}
 * @param envelope the complete event as received, for {@code -o json}
 */
public record ApiRunEvent(
    long position,
    String id,
    String type,
    @Nullable Instant time,
    JsonNode data,
    JsonNode envelope) {
  private static final Set<String> LAST =
      Set.of("run_completed", "run_failed", "run_cancelled", "run_lost");

  /** Parses an element of {@code GET /runs/ID/events}. */
  public static ApiRunEvent of(JsonNode envelope) {
    String type = envelope.path("type").asText();
    return new ApiRunEvent(
        envelope.path("position").asLong(),
        envelope.path("id").asText(),
        type.startsWith(EventTypeRegistry.PREFIX)
            ? type.substring(EventTypeRegistry.PREFIX.length())
            : type,
        TimeFormatter.instant(envelope.path("time")),
        envelope.path("data"),
        envelope);
  }

  /** Parses a server-sent event, whose data is the same envelope. */
  static ApiRunEvent of(ServerSentEventReader.Message message) {
    JsonNode data = Json.tree(message.data().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    if (data instanceof ObjectNode envelope && envelope.path("data").isObject()) {
      return of(envelope);
    }
    ObjectNode envelope = Json.mapper().createObjectNode();
    envelope.put("position", Long.parseLong(message.id()));
    envelope.put("type", message.event());
    envelope.set("data", data);
    return of(envelope);
  }

  /** Whether this event ends the run. */
  public boolean isLast() {
    return LAST.contains(type);
  }

  /** Whether this event pauses the run. */
  public boolean isPause() {
    return type.equals("run_paused")
        || (type.equals("pause_requested") && data.path("idle").asBoolean());
  }

  /** The epoch of the runner that wrote it; 0 for events of the orchestrator. */
  public int epoch() {
    try {
      return EventId.parse(id).lane().epoch();
    } catch (IllegalArgumentException _) {
      // An event with an id of another format is shown, but has no lane.
      return 0;
    }
  }

  public String step() {
    return data.path("step").asText("");
  }

  /** Step and visit, which complete at most once. */
  public String stepVisit() {
    return step() + "#" + data.path("visit").asInt(1);
  }
}
