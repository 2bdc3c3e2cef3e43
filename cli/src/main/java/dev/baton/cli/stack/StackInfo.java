/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.process.ProcessIdentity;
import org.jspecify.annotations.Nullable;

/** Content of {@code stack.json}: describes a stack that runs, or ran. */
public record StackInfo(JsonNode json) {
  /** Whether every component is ready. */
  public boolean ready() {
    return json.path("ready").asBoolean(false);
  }

  /** Whether it was started to use less memory. */
  boolean compact() {
    return json.path("compact").asBoolean(false);
  }

  /**
   * @param component {@code orchestrator store s3}
   */
  public @Nullable String url(String component) {
    JsonNode url = json.path("urls").path(component);
    return url.isTextual() ? url.textValue() : null;
  }

  /** Whether its supervisor lives: that process itself, not a later one with the same pid. */
  public boolean supervised() {
    return new ProcessIdentity(supervisorPid(), json.path("supervisor").path("started").asText(""))
        .isAlive();
  }

  public long supervisorPid() {
    return json.path("supervisor").path("pid").asLong(0);
  }

  /** The API's port; 0 when none is recorded. */
  public int apiPort() {
    return json.path("ports").path("orchestrator").asInt(0);
  }
}
