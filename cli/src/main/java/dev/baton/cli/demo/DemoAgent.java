/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ReplyPart;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The agents that the demo can run. */
enum DemoAgent {
  /** Built in: it needs no program. */
  LOOP(
      "BATON_MODELS_ANTHROPIC_MESSAGES",
      "claude-sonnet-4-5",
      "shell",
      "command",
      "",
      "",
      "",
      "deny: [\"shell(git push*)\"]"),
  CLAUDE(
      "BATON_MODELS_ANTHROPIC_MESSAGES",
      "claude-sonnet-4-5",
      "Bash",
      "command",
      "2.1",
      "2.1.332",
      "@anthropic-ai/claude-code",
      "deny: [\"Bash(git push*)\"]"),
  CODEX(
      "BATON_MODELS_OPENAI_RESPONSES",
      "gpt-5",
      "exec_command",
      "cmd",
      "0.169",
      "0.169.0",
      "@openai/codex",
      ""),
  OPENCODE(
      "BATON_MODELS_OPENAI_CHAT",
      "gpt-5",
      "bash",
      "command",
      "1.18",
      "1.18.33",
      "opencode-ai",
      "deny: [webfetch]");

  private final String endpoint;
  private final String model;
  private final String tool;
  private final String argument;
  private final String version;
  private final String tested;
  private final String npm;
  private final String rules;

  DemoAgent(
      String endpoint,
      String model,
      String tool,
      String argument,
      String version,
      String tested,
      String npm,
      String rules) {
    this.endpoint = endpoint;
    this.model = model;
    this.tool = tool;
    this.argument = argument;
    this.version = version;
    this.tested = tested;
    this.npm = npm;
    this.rules = rules;
  }

  /** Returns the agent with this name; empty for none. */
  static Optional<DemoAgent> of(String use) {
    return Arrays.stream(values()).filter(agent -> agent.use().equals(use)).findFirst();
  }

  /** The names of all. */
  static List<String> uses() {
    return Arrays.stream(values()).map(DemoAgent::use).toList();
  }

  /** The name in workflows, and that of the program. */
  String use() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it is a program of its own. */
  boolean isProgram() {
    return this != LOOP;
  }

  /** The beginning of the variables that configure the endpoint of its model. */
  String endpoint() {
    return endpoint;
  }

  /** The first numbers of the versions that the demo's script is for. */
  String version() {
    return version;
  }

  /** The command that installs the tested version. */
  String installation() {
    return "npm install -g " + npm + "@" + tested;
  }

  /** Returns a call of its tool for commands. */
  ReplyPart shell(String command) {
    ObjectNode input = Json.mapper().createObjectNode().put(argument, command);
    switch (this) {
      case LOOP -> {}
      case CLAUDE, OPENCODE -> input.put("description", "Runs a command");
      // A login shell would run the start-up files of the user.
      case CODEX -> input.put("login", false);
    }
    return new ReplyPart.ToolCall(tool, input.toString());
  }

  /**
   * Returns the workflow of the demo with this agent.
   *
   * @param example text of the workflow with the built-in loop
   */
  String workflow(String example) {
    return example
        .replace("name: agent-loop", "name: agent-" + use() + "-demo")
        .replace("use: loop", "use: " + use() + "\n      version: \"" + version + "\"")
        .replace("model: " + LOOP.model, "model: " + model)
        .replaceFirst(
            "(?m)^ +tools: .*\\n", rules.isEmpty() ? "" : "      tools: {" + rules + "}\n");
  }
}
