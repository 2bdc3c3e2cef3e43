/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.claude.ClaudeDriver;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Claude Code over kills of its whole tree. Skipped unless it is installed. */
class ClaudeDeathTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  @Timeout(400)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    AgentDeaths.check(
        new ClaudeDriver(),
        InstalledAgents.claude(),
        folder,
        ClaudeScript.ANSWERS,
        DeathHarness.MODEL,
        8);
  }
}
