/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/**
 * One record of the trace topic, as stored in the log.
 *
 * @param partition of the topic
 * @param offset within the partition: the log's order
 * @param run the run's id
 * @param epoch the lane: 0 is that of control events, others are a runner's
 * @param seq within the lane, from 1
 * @param type such as {@code step_completed}
 * @param data the event's data
 */
public record LoggedRecord(
    int partition, long offset, String run, int epoch, long seq, String type, JsonNode data) {

  private static final String TYPES = "dev.baton.";

  /**
   * @param id {@code <run>/<lane>/<seq>}
   * @return empty when the id or the type is not one of Baton's
   */
  public static Optional<LoggedRecord> of(
      int partition, long offset, String id, String type, JsonNode data) {
    String[] parts = id.split("/", -1);
    if (parts.length != 3
        || !parts[1].matches("c|[1-9][0-9]{0,8}")
        || !parts[2].matches("[1-9][0-9]{0,17}")
        || !type.startsWith(TYPES)) {
      return Optional.empty();
    }
    int epoch = parts[1].equals("c") ? 0 : Integer.parseInt(parts[1]);
    long seq = Long.parseLong(parts[2]);
    String name = type.substring(TYPES.length());
    return Optional.of(new LoggedRecord(partition, offset, parts[0], epoch, seq, name, data));
  }

  /** The event's id. */
  public String id() {
    return run + "/" + (isControl() ? "c" : epoch) + "/" + seq;
  }

  /** Whether the orchestrator wrote it. */
  public boolean isControl() {
    return epoch == 0;
  }

  /** Whether it is of that type. */
  public boolean is(String other) {
    return type.equals(other);
  }

  /** Returns a text field of the data; empty when it is missing. */
  public String text(String field) {
    return data.path(field).asText("");
  }

  /** Describes its position, for reports. */
  public String place() {
    return "%d:%d %s %s".formatted(partition, offset, id(), type);
  }
}
