/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.key.ConversationKeyBuilder;
import dev.baton.gateway.wire.ChatCompletionsForm;
import dev.baton.gateway.wire.InvalidRequestException;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.MessagesForm;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.ResponsesForm;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.SseEventReader;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Requests of agents and answers of models, in each notation. */
final class GatewayFuzzer {
  private static final int MAX_EVENT = 1 << 20;

  private static final List<WireForm> FORMS =
      List.of(new MessagesForm(), new ResponsesForm(), new ChatCompletionsForm());

  private GatewayFuzzer() {}

  static void request(byte[] input) {
    ObjectNode body;
    try {
      if (!(Json.mapper().readTree(input) instanceof ObjectNode object)) {
        return;
      }
      body = object;
    } catch (IOException notJson) {
      return;
    }
    for (WireForm form : FORMS) {
      try {
        ModelRequest request = form.parse(body.deepCopy());
        for (AgentFamily family : AgentFamily.values()) {
          ConversationKeyBuilder keys = new ConversationKeyBuilder(family);
          FuzzAssert.same(keys.key(form, request), keys.key(form, form.parse(body.deepCopy())));
          keys.affinity(request);
          keys.opening(request);
        }
        form.upstreamBody(body.deepCopy());
      } catch (InvalidRequestException rejected) {
        // The agent gets the reason.
      }
    }
  }

  static void answer(byte[] input) throws IOException {
    List<SseEvent> events = new ArrayList<>();
    SseEventReader reader = new SseEventReader(new ByteArrayInputStream(input), MAX_EVENT);
    try {
      for (SseEvent event = reader.next(); event != null; event = reader.next()) {
        events.add(event);
      }
    } catch (MalformedAnswerException rejected) {
      // What was read before has reached the gateway all the same.
    }
    for (WireForm form : FORMS) {
      try {
        read(form, events);
      } catch (MalformedAnswerException rejected) {
        // The answer is requested again.
      }
    }
  }

  private static void read(WireForm form, List<SseEvent> events) throws MalformedAnswerException {
    Set<Integer> calls = new HashSet<>();
    for (SseEvent event : events) {
      ObjectNode data = event.object();
      form.isError(event, data);
      form.isFinal(event, data);
      form.isLast(event);
      form.isKeepAlive(event);
      if (data != null) {
        form.completesCall(data, calls);
      }
      event.bytes();
    }
    form.isComplete(events);
    form.partialUsage(events);
    ObjectNode answer = form.assemble(events);
    form.meta(answer);
    FuzzAssert.same(answer, form.assemble(form.compact(events)));
  }

  /** An answer that is not a stream. */
  static void message(byte[] input) {
    ObjectNode answer;
    try {
      if (!(Json.mapper().readTree(input) instanceof ObjectNode object)) {
        return;
      }
      answer = object;
    } catch (IOException notJson) {
      return;
    }
    for (WireForm form : FORMS) {
      try {
        form.meta(answer.deepCopy());
        form.assemble(form.split(answer.deepCopy()));
      } catch (MalformedAnswerException rejected) {
        // The answer is requested again.
      }
    }
  }
}
