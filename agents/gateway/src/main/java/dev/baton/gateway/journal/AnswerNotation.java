/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads answers as they are journaled: {@code {"events": [{"event": "…", "data": …}]}}
 * for a stream, where {@code event} is absent for events without a name and {@code data} is the
 * JSON of the event or, for {@code [DONE]}, a text; {@code {"message": {…}}} otherwise.
 */
public final class AnswerNotation {
  private AnswerNotation() {}

  public static ObjectNode ofEvents(List<SseEvent> events) {
    ObjectNode answer = Json.mapper().createObjectNode();
    ArrayNode all = answer.putArray("events");
    for (SseEvent event : events) {
      ObjectNode entry = all.addObject();
      if (event.name() != null) {
        entry.put("event", event.name());
      }
      ObjectNode data = event.object();
      if (data == null) {
        entry.put("data", event.data());
      } else {
        entry.set("data", data);
      }
    }
    return answer;
  }

  public static ObjectNode ofMessage(ObjectNode message) {
    ObjectNode answer = Json.mapper().createObjectNode();
    answer.set("message", message);
    return answer;
  }

  /** Whether the answer was journaled as a stream. */
  public static boolean isStream(JsonNode answer) {
    return answer.path("events").isArray();
  }

  public static List<SseEvent> events(JsonNode answer) {
    List<SseEvent> events = new ArrayList<>();
    for (JsonNode entry : answer.path("events")) {
      JsonNode data = entry.path("data");
      JsonNode name = entry.path("event");
      events.add(
          new SseEvent(
              name.isTextual() ? name.textValue() : null,
              data.isTextual()
                  ? data.textValue()
                  : new String(Json.bytes(data), java.nio.charset.StandardCharsets.UTF_8)));
    }
    return events;
  }

  /**
   * @throws MalformedAnswerException when the answer has no message
   */
  public static ObjectNode message(JsonNode answer) throws MalformedAnswerException {
    if (answer.path("message") instanceof ObjectNode message) {
      return message;
    }
    throw new MalformedAnswerException("the journaled answer has neither events nor a message");
  }
}
