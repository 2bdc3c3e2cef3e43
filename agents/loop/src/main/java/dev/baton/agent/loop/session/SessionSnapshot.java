/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFieldChecker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session at one moment. Immutable.
 *
 * @param parent id of the session that started this one; null for none
 * @param children ids of the sessions that this one has started
 * @param slices by name, as {@code {"version": 1, "value": …}}
 */
public record SessionSnapshot(
    String id,
    Instant created,
    Map<String, String> tags,
    @Nullable String parent,
    List<String> children,
    Map<String, JsonNode> slices) {
  public SessionSnapshot {
    tags = Map.copyOf(tags);
    children = List.copyOf(children);
    slices = Map.copyOf(slices);
  }

  public String toJson() {
    return Json.mapper().valueToTree(this).toString();
  }

  /**
   * @throws SessionFileException when the text is not a snapshot
   */
  public static SessionSnapshot fromJson(String text) throws SessionFileException {
    try {
      SessionSnapshot snapshot = Json.mapper().readValue(text, SessionSnapshot.class);
      if (snapshot != null && RequiredFieldChecker.missing(snapshot) == null) {
        return snapshot;
      }
    } catch (JsonProcessingException | NullPointerException e) {
      throw new SessionFileException("the text is not the snapshot of a session");
    }
    throw new SessionFileException("the text is not the snapshot of a session");
  }
}
