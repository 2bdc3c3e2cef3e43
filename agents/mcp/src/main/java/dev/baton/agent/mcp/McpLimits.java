/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import java.time.Duration;

/** Bounds of MCP sessions. */
final class McpLimits {
  /** Bytes of one message, in both directions. */
  static final int MESSAGE_BYTES = 16 << 20;

  /** From the start of a server to the end of its handshake. */
  static final Duration START = Duration.ofSeconds(60);

  /** For a list of tools or resources, and for the call that restores a state. */
  static final Duration OWN_REQUEST = Duration.ofSeconds(30);

  /** How long a capture waits for the state of a server. */
  static final Duration CAPTURE = Duration.ofSeconds(5);

  /** Pages of a list. */
  static final int PAGES = 50;

  /** Starts in a row that fail, or end before {@link #STEADY}. */
  static final int RESTARTS = 3;

  /** A server that has lived for so long has a new count of restarts. */
  static final Duration STEADY = Duration.ofMinutes(1);

  static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /** How long a server may take to end after the end of its input, and again after a signal. */
  static final Duration END = Duration.ofSeconds(2);

  private McpLimits() {}
}
