/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.opencode.OpenCodeDriver;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real OpenCode over kills of its whole tree. Skipped unless it is installed. */
class OpenCodeDeathTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  @Timeout(900)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    // The result of a patch contains the path.
    AgentDeaths.check(
        new OpenCodeDriver(),
        InstalledAgents.opencode(),
        folder,
        OpenCodeScript.CHAT,
        "gpt-5",
        8,
        DeathPlan.STANDARD.atOnePath());
  }

  @Test
  @Tag("full")
  @Timeout(900)
  void shouldKeepThemInTheFormOfMessages() throws Exception {
    AgentDeaths.check(
        new OpenCodeDriver(),
        InstalledAgents.opencode(),
        folder,
        OpenCodeScript.MESSAGES,
        DeathHarness.MODEL,
        5);
  }
}
