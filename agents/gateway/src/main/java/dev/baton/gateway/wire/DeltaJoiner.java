/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Joins neighbouring deltas of the same part of an answer into one. */
final class DeltaJoiner {
  private DeltaJoiner() {}

  /**
   * A delta that can be joined.
   *
   * @param of the part that it extends, and everything else in which joined deltas must agree
   * @param text the text that it adds
   */
  record Part(String of, String text) {}

  /**
   * @param parts recognizes deltas; null for an event that stays word for word
   * @param setText replaces the text of the first delta by the joined one
   */
  static List<SseEvent> join(
      List<SseEvent> events,
      Function<ObjectNode, @Nullable Part> parts,
      BiConsumer<ObjectNode, String> setText) {
    List<SseEvent> joined = new ArrayList<>();
    List<SseEvent> run = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    String of = null;
    for (SseEvent event : events) {
      ObjectNode data = JsonFields.object(event);
      Part part = data == null ? null : parts.apply(data);
      if (part == null || !part.of().equals(of)) {
        flush(run, text, setText, joined);
        of = part == null ? null : part.of();
      }
      if (part == null) {
        joined.add(event);
      } else {
        run.add(event);
        text.append(part.text());
      }
    }
    flush(run, text, setText, joined);
    return joined;
  }

  private static void flush(
      List<SseEvent> run,
      StringBuilder text,
      BiConsumer<ObjectNode, String> setText,
      List<SseEvent> joined) {
    if (run.size() == 1) {
      joined.add(run.getFirst());
    } else if (!run.isEmpty()) {
      ObjectNode data = JsonFields.object(run.getFirst());
      if (data != null) {
        setText.accept(data, text.toString());
        joined.add(JsonFields.event(run.getFirst().name(), data));
      }
    }
    run.clear();
    text.setLength(0);
  }
}
