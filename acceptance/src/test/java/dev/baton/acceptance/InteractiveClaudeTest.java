/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;

/** A person at the screen of the real Claude Code. */
class InteractiveClaudeTest extends AgentScreenTestBase {
  InteractiveClaudeTest() {
    super("claude", "claude-haiku-4-5", ScriptedModelStack.Form.MESSAGES);
  }

  @Override
  ScriptedReply shell(String command) {
    return ScriptedReply.text("a call")
        .with(
            new ReplyPart.ToolCall(
                "Bash",
                AcceptanceApiClient.JSON
                    .createObjectNode()
                    .put("command", command)
                    .put("description", "works")
                    .toString()));
  }
}
