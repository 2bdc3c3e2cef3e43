/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A typed part of a session. Immutable; a value is replaced by what the reducer returns.
 *
 * @param name unique in a session
 * @param version of the type's JSON; grows when it changes
 * @param type of the values, which Jackson reads and writes
 * @param initial value of a new session
 * @param reducer returns the value after an event; the same one for events of other slices
 * @param migrations from a version to the next, by the older version
 */
public record SessionSlice<T>(
    String name,
    int version,
    Class<T> type,
    T initial,
    BiFunction<T, SessionEvent, T> reducer,
    Map<Integer, UnaryOperator<JsonNode>> migrations) {
  public SessionSlice {
    migrations = Map.copyOf(migrations);
    if (version < 1) {
      throw new IllegalArgumentException(
          "slice '" + name + "': version " + version + " is below 1");
    }
  }

  /** The value as {@code {"version": 1, "value": …}}. */
  JsonNode write(Object value) {
    ObjectNode json = Json.mapper().createObjectNode().put("version", version);
    json.set("value", Json.mapper().valueToTree(type.cast(value)));
    return json;
  }

  /**
   * Reads {@link #write}, also of an older version with migrations to this one.
   *
   * @throws SessionFileException when a migration is missing, the version is newer, or the value
   *     has another type
   */
  T read(JsonNode json) throws SessionFileException {
    int found = json.path("version").asInt();
    JsonNode value = json.path("value");
    for (int at = found; at < version; at++) {
      UnaryOperator<JsonNode> migration = migrations.get(at);
      if (migration == null) {
        throw new SessionFileException(
            "slice '%s' has version %d, this program needs %d and has no migration from %d"
                .formatted(name, found, version, at));
      }
      value = migration.apply(value);
    }
    if (found > version) {
      throw new SessionFileException(
          "slice '%s' has version %d, this program reads versions up to %d"
              .formatted(name, found, version));
    }
    try {
      return Json.mapper().treeToValue(value, type);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new SessionFileException(
          "slice '%s' is not of type %s".formatted(name, type.getSimpleName()));
    }
  }
}
