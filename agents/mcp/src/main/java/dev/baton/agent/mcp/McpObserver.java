/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

/** Receives reports on servers for people. Called on any thread; must not block for long. */
public interface McpObserver {
  /**
   * What happened to a server: a start that failed, an end, a state that was not captured or not
   * restored.
   */
  void noted(String server, String note);

  /** A line of a server's stderr, or of its output that is not a message. */
  void printed(String server, String line);
}
