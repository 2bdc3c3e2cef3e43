/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

final class CodingAgentPrograms {
  private CodingAgentPrograms() {}

  static List<Path> folders() {
    Path modules = Path.of(System.getProperty("baton.agents", "/none")).resolve("node_modules");
    assumeTrue(Files.isDirectory(modules), "no agents are installed in -Dbaton.agents");
    return List.of(
        modules.resolve("@anthropic-ai/claude-code-linux-x64"),
        modules.resolve("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin"));
  }
}
