/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.codex.CodexDriver;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Codex over kills of its whole tree. Skipped unless it is installed. */
class CodexDeathTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply shell(ScriptedReply reply, String command) {
    return reply
        .with(
            new ReplyPart.ToolCall("exec_command", "{\"cmd\":\"" + command + "\",\"login\":false}"))
        .slowly(Duration.ofMillis(10));
  }

  private static ScriptedReply append(ScriptedReply reply, String word) {
    return shell(reply, "sleep 0.1; echo " + word + " >> out.txt");
  }

  static final List<ScriptedReply> SCRIPT =
      List.of(
          append(ScriptedReply.text("one"), "a"),
          append(append(ScriptedReply.text("two calls"), "b"), "c"),
          shell(
              ScriptedReply.empty(),
              "apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: notes.txt\\n+hello\\n"
                  + "*** End Patch\\nEOF"),
          append(
              shell(
                  ScriptedReply.empty().with(new ReplyPart.Thinking("an edit")),
                  "apply_patch <<'EOF'\\n*** Begin Patch\\n*** Update File: notes.txt\\n@@\\n-hello\\n"
                      + "+world\\n*** End Patch\\nEOF"),
              "d"),
          shell(ScriptedReply.text("fails"), "exit 3"),
          append(append(append(ScriptedReply.text("three calls"), "e"), "f"), "g"),
          append(ScriptedReply.text("last"), "h"),
          ScriptedReply.text("all done"));

  @Test
  @Timeout(600)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    AgentDeaths.check(new CodexDriver(), InstalledAgents.codex(), folder, SCRIPT, "gpt-5", 8);
  }
}
