/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row of a session's file. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = SessionRow.Opened.class, name = "session"),
  @JsonSubTypes.Type(value = SessionRow.UserText.class, name = "user"),
  @JsonSubTypes.Type(value = SessionRow.Answer.class, name = "assistant"),
  @JsonSubTypes.Type(value = SessionRow.CallResult.class, name = "result")
})
public sealed interface SessionRow {
  /**
   * The first row.
   *
   * @param format of the file, {@link LoopSessionFile#FORMAT}
   */
  record Opened(
      int format, String id, Instant created, @Nullable String parent, Map<String, String> tags)
      implements SessionRow {
    public Opened {
      tags = Map.copyOf(tags);
    }
  }

  /** A message of the user, or of the loop in the user's place. */
  record UserText(String text) implements SessionRow {}

  /**
   * An answer of the model.
   *
   * @param text empty for none
   * @param cutOff whether the answer ended at its length limit
   */
  record Answer(String text, List<ToolCall> calls, boolean cutOff) implements SessionRow {
    public Answer {
      calls = List.copyOf(calls);
    }
  }

  /**
   * A call in an answer.
   *
   * @param arguments as the model gave them; JSON, unless the answer was cut off
   */
  record ToolCall(String id, String name, String arguments) {}

  /**
   * The result of a call.
   *
   * @param slices values of the slices that the call has changed, as in snapshots
   */
  record CallResult(
      String call, String tool, String text, boolean failed, Map<String, JsonNode> slices)
      implements SessionRow {
    public CallResult {
      slices = Map.copyOf(slices);
    }
  }
}
