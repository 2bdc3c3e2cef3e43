/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One form of requests and answers. Implementations have no state and are thread-safe.
 *
 * <p>A streamed answer is a list of events. The gateway passes them on word for word, and holds
 * them from the first one for which {@link #completesCall} or {@link #isFinal} is true.
 */
public sealed interface WireForm permits MessagesForm, ResponsesForm, ChatCompletionsForm {
  /** The name in configuration, events and metrics. */
  String id();

  /** The path below the base URL of an endpoint, for example {@code /v1/messages}. */
  String path();

  /** The header in which an endpoint of this form expects the key, with the text before it. */
  KeyHeader keyHeader();

  /**
   * Parses a request.
   *
   * @throws InvalidRequestException when a required field is missing or has another type
   */
  ModelRequest parse(ObjectNode body) throws InvalidRequestException;

  /** Adds to a request what the gateway needs in the answer; returns it unchanged otherwise. */
  default ObjectNode upstreamBody(ObjectNode body) {
    return body;
  }

  /**
   * Whether an agent may start a tool as soon as it has this event.
   *
   * @param callParts numbers of the parts of this answer that are calls; the form adds to it
   */
  boolean completesCall(ObjectNode data, Set<Integer> callParts);

  /** Whether the event is part of the end of an answer. */
  boolean isFinal(SseEvent event, @Nullable ObjectNode data);

  /** Whether the answer is complete with these events. */
  boolean isComplete(List<SseEvent> events);

  /** Whether the stream ends with this event. */
  boolean isLast(SseEvent event);

  /** Whether the event reports an error of the endpoint instead of a part of the answer. */
  boolean isError(SseEvent event, @Nullable ObjectNode data);

  /** Whether the event only keeps the connection alive; such events are not journaled. */
  boolean isKeepAlive(SseEvent event);

  /** Whether the agent gets this event, given what it requested. */
  default boolean isForAgent(SseEvent event, ModelRequest request) {
    return true;
  }

  /**
   * Joins the events of a complete answer into the answer as it is without streaming.
   *
   * @throws MalformedAnswerException when the events are not an answer of this form
   */
  ObjectNode assemble(List<SseEvent> events) throws MalformedAnswerException;

  /** Splits an answer into the events of a stream. */
  List<SseEvent> split(ObjectNode answer);

  /** Joins neighbouring deltas of the same part; all other events stay word for word. */
  List<SseEvent> compact(List<SseEvent> events);

  /**
   * Reads ids, usage and calls of an answer.
   *
   * @throws MalformedAnswerException when the answer does not have this form
   */
  AnswerMeta meta(ObjectNode answer) throws MalformedAnswerException;

  /** The tokens of an answer that broke off, as far as its events name them. */
  default dev.baton.gateway.spend.@Nullable TokenUsage partialUsage(List<SseEvent> events) {
    return null;
  }

  /** The body of an error response. */
  ObjectNode error(WireErrorKind kind, String message);

  /** An error in a stream whose status has been sent. */
  SseEvent errorEvent(WireErrorKind kind, String message);

  /** What keeps a silent stream alive, as bytes of the stream. */
  byte[] keepAlive();

  /**
   * A header with a key.
   *
   * @param name of the header
   * @param prefix what precedes the key in its value
   */
  record KeyHeader(String name, String prefix) {}
}
