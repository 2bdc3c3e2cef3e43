/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code stack.json} says about a stack that runs, or ran. */
public record StackInfo(JsonNode json) {
  /** Every component is ready and none was stopped since. */
  public boolean ready() {
    return json.path("ready").asBoolean(false);
  }

  /**
   * @param component {@code orchestrator store s3}
   */
  public @Nullable String url(String component) {
    JsonNode url = json.path("urls").path(component);
    return url.isTextual() ? url.textValue() : null;
  }

  /** Whether its supervisor lives. */
  public boolean supervised() {
    return isAlive(json.path("supervisor").path("pid").asLong(0));
  }

  public long supervisorPid() {
    return json.path("supervisor").path("pid").asLong(0);
  }

  /** The recorded processes that live, as far as a pid can tell. */
  public List<Long> livePids() {
    List<Long> live = new ArrayList<>();
    long supervisor = supervisorPid();
    if (isAlive(supervisor)) {
      live.add(supervisor);
    }
    for (JsonNode component : json.path("components")) {
      long pid = component.path("pid").asLong(0);
      if (isAlive(pid)) {
        live.add(pid);
      }
    }
    return live;
  }

  private static boolean isAlive(long pid) {
    return pid > 0 && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
