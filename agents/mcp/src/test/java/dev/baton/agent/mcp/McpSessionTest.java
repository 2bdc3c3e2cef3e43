/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class McpSessionTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final String REASON = "server 'count' ended with exit code 3";

  /** A server that answers the handshake and ends at the first call. */
  private record EndingTransport(McpTransport.Receiver receiver) implements McpTransport {
    @Override
    public void begin() {}

    @Override
    public void send(ObjectNode message, Consumer<McpException> failed) {
      if (message.path("method").asText().equals("initialize")) {
        ObjectNode answer = Json.mapper().createObjectNode();
        answer.set("id", message.path("id"));
        answer.putObject("result");
        receiver.received(answer);
      } else if (message.path("method").asText().equals("tools/call")) {
        receiver.ended(REASON);
      }
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldReportWhyItsServerEndedAlsoWhenItIsClosedThen() throws Exception {
    McpSession session = McpSession.open("count", EndingTransport::new, WITHIN);
    var unused = session.end().thenRun(session::close);

    assertThatThrownBy(() -> session.result("tools/call", Json.mapper().createObjectNode(), WITHIN))
        .isInstanceOf(McpException.class)
        .hasMessageContaining(REASON);
  }
}
