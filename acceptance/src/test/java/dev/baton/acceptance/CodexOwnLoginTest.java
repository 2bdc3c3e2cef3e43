/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("full")
class CodexOwnLoginTest extends OwnLoginTestBase {
  private static final List<ScriptedReply> SCRIPT =
      List.of(
          append(ScriptedReply.text("one"), "a"),
          append(append(ScriptedReply.text("two calls"), "b"), "c"),
          shell(
              ScriptedReply.empty(),
              "apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: notes.txt\\n+world\\n"
                  + "*** End Patch\\nEOF"),
          append(append(ScriptedReply.text("two more"), "d"), "e"),
          shell(ScriptedReply.text("fails"), "exit 3"),
          append(ScriptedReply.text("last"), "f"),
          ScriptedReply.text("all done"));

  CodexOwnLoginTest() {
    super(
        new LoginCase(
            "codex",
            "gpt-5",
            ScriptedModelStack.Form.RESPONSES,
            ModelScript.byTurn(SCRIPT),
            SCRIPT.size(),
            "a b c d e f world",
            Integer.getInteger("baton.agent.kills", 4)));
  }

  private static ScriptedReply shell(ScriptedReply reply, String command) {
    return reply
        .with(
            new ReplyPart.ToolCall("exec_command", "{\"cmd\":\"" + command + "\",\"login\":false}"))
        .slowly(Duration.ofMillis(10));
  }

  private static ScriptedReply append(ScriptedReply reply, String word) {
    return shell(reply, "sleep 0.1; echo " + word + " >> out.txt");
  }
}
