/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One server-sent event.
 *
 * @param name the {@code event} field; null where the event has none
 * @param data the {@code data} lines, joined with line feeds
 */
public record SseEvent(@Nullable String name, String data) {
  /** The data as a JSON object; null where they are not one. */
  public @Nullable ObjectNode object() {
    return JsonFields.object(this);
  }

  /** The event as it is sent, in UTF-8, with its closing empty line. */
  public byte[] bytes() {
    StringBuilder text = new StringBuilder(data.length() + 64);
    if (name != null) {
      text.append("event: ").append(name).append('\n');
    }
    for (String line : data.split("\n", -1)) {
      text.append("data: ").append(line).append('\n');
    }
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }
}
