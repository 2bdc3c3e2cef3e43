/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.agent.testkit.OpenCodeScript;
import dev.baton.scripted.ModelScript;
import org.junit.jupiter.api.Tag;

@Tag("full")
class OpenCodeOwnLoginTest extends OwnLoginTestBase {
  /** Half of the others': each start of OpenCode costs 10 s of a processor. */
  private static final int KILLS = Math.max(2, Integer.getInteger("baton.agent.kills", 4) / 2);

  OpenCodeOwnLoginTest() {
    super(
        new LoginCase(
            "opencode",
            "anthropic/claude-sonnet-4-5",
            ScriptedModelStack.Form.MESSAGES,
            ModelScript.byTurn(OpenCodeScript.MESSAGES),
            OpenCodeScript.MESSAGES.size(),
            "a b c d e world",
            KILLS));
  }
}
