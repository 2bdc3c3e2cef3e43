/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import org.junit.jupiter.api.Tag;

/** A person at the screen of the real OpenCode. */
@Tag("full")
class InteractiveOpenCodeTest extends AgentScreenTestBase {
  InteractiveOpenCodeTest() {
    super("opencode", "gpt-5", ScriptedModelStack.Form.CHAT);
  }

  @Override
  ScriptedReply shell(String command) {
    return ScriptedReply.text("a call")
        .with(
            new ReplyPart.ToolCall(
                "bash",
                AcceptanceApiClient.JSON
                    .createObjectNode()
                    .put("command", command)
                    .put("description", "Writes a line")
                    .toString()));
  }
}
