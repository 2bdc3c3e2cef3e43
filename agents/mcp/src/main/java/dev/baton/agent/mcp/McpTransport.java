/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.function.Consumer;

/** Carries JSON-RPC messages to one MCP server. Thread-safe. */
interface McpTransport extends AutoCloseable {
  /** Receives what comes from the server, in the order of arrival of each stream. */
  interface Receiver {
    void received(JsonNode message);

    /** The server is gone; called once. */
    void ended(String reason);
  }

  /** Opens a transport that does not receive yet. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens a transport.
     *
     * @throws IOException when the server cannot be started
     */
    McpTransport open(Receiver receiver) throws IOException;
  }

  /** Starts to receive; called once. */
  default void begin() {}

  /**
   * Sends a message without waiting for its answer.
   *
   * @param failed called when no answer will come; possibly also after an answer has come
   */
  void send(ObjectNode message, Consumer<McpException> failed);

  /** Sets what the handshake has agreed on. */
  default void agreed(String protocolVersion) {}

  /** Ends the server, or the session with it; returns within seconds. */
  @Override
  void close();
}
