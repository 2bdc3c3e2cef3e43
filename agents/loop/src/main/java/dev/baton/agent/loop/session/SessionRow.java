/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.PromptImages.PromptImage;
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
  @JsonSubTypes.Type(value = SessionRow.CallResult.class, name = "result"),
  @JsonSubTypes.Type(value = SessionRow.Compacted.class, name = "summary"),
  @JsonSubTypes.Type(value = SessionRow.ChildStarted.class, name = "child")
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

  /**
   * A message of the user, or of the loop in the user's place.
   *
   * @param images that the message begins with
   */
  record UserText(String text, @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PromptImage> images)
      implements SessionRow {
    /** Rows without images have no such field. */
    public UserText {
      images = images == null ? List.of() : List.copyOf(images);
    }

    /** A message without images. */
    public static UserText of(String text) {
      return new UserText(text, List.of());
    }
  }

  /**
   * An answer of the model.
   *
   * @param text empty for none
   * @param cutOff whether the answer ended at its length limit
   * @param tokens of the request and the answer together, as the endpoint counts them; 0 where it
   *     reports none
   */
  record Answer(
      String text,
      List<ToolCall> calls,
      boolean cutOff,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) long tokens)
      implements SessionRow {
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

  /**
   * A summary takes the place of older rows in requests. The rows stay in the file.
   *
   * @param replaced number of rows, from the first, that the summary stands for; messages of the
   *     user among them stay in requests
   * @param tokensBefore estimated tokens of the request that the conversation would have been
   */
  record Compacted(String summary, int replaced, long tokensBefore) implements SessionRow {}

  /**
   * A call has started a session of its own.
   *
   * @param call id of the call
   * @param session id of the session that it started
   */
  record ChildStarted(String call, String session) implements SessionRow {}
}
