/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.acp.AcpDriver;
import dev.baton.scripted.ModelScript;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real claude-agent-acp over kills of its whole tree. Skipped unless it is installed. */
class AcpDeathTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  @Timeout(900)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    ModelScript script = ClaudeScript::answer;
    AgentDeaths.check(
        new AcpDriver(),
        InstalledAgents.acp(),
        folder,
        script,
        ClaudeScript::isOfTheWork,
        ClaudeScript.ANSWERS.size(),
        DeathHarness.MODEL,
        8,
        DeathPlan.STANDARD.withConversations(2));
  }
}
