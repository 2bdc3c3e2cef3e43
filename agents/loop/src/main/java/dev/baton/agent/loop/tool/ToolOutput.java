/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.baton.agent.loop.session.SessionEvent;
import java.util.List;

/**
 * What a call returns.
 *
 * @param text for the model, not blank
 * @param failed whether it reports a failure, for example an exit code other than 0
 * @param files changed ones, relative to the workspace
 * @param events of the session
 */
public record ToolOutput(
    String text, boolean failed, List<String> files, List<SessionEvent> events) {
  public ToolOutput {
    files = List.copyOf(files);
    events = List.copyOf(events);
  }

  static ToolOutput text(String text) {
    return new ToolOutput(text, false, List.of(), List.of());
  }

  static ToolOutput changed(String text, String file) {
    return new ToolOutput(text, false, List.of(file), List.of());
  }
}
