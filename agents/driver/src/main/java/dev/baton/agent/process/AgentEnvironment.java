/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Builds the environment of an agent from that of its step. */
public final class AgentEnvironment {
  /** Beginnings of variables that steer agents and their clients: keys, addresses, settings. */
  private static final List<String> FOREIGN =
      List.of(
          "ANTHROPIC_",
          "CLAUDE",
          "OPENAI_",
          "CODEX_",
          "OPENCODE",
          "AZURE_OPENAI_",
          "GEMINI_",
          "GOOGLE_API_KEY",
          "GOOGLE_GENAI_",
          "GOOGLE_GEMINI_",
          "AWS_BEARER_TOKEN_BEDROCK",
          "MISTRAL_",
          "GROQ_",
          "OPENROUTER_",
          "XAI_",
          "MCP_TIMEOUT",
          "MCP_TOOL_TIMEOUT",
          "MAX_THINKING_TOKENS",
          "DISABLE_AUTOUPDATER",
          "DISABLE_TELEMETRY",
          "IS_SANDBOX",
          "NODE_OPTIONS",
          "BUN_BE_BUN",
          "BUN_OPTIONS");

  private static final String LOOPBACK = "127.0.0.1,localhost,::1";

  private AgentEnvironment() {}

  /**
   * Removes what steers agents, adds the driver's variables, and keeps proxies away from loopback.
   *
   * @param step environment of the step
   * @param own variables of the driver
   */
  public static Map<String, String> of(Map<String, String> step, Map<String, String> own) {
    Map<String, String> result = new TreeMap<>(step);
    result.keySet().removeIf(AgentEnvironment::isForeign);
    for (String name : List.of("NO_PROXY", "no_proxy")) {
      String before = result.get(name);
      if (before != null || result.keySet().stream().anyMatch(AgentEnvironment::isProxy)) {
        result.put(name, before == null || before.isBlank() ? LOOPBACK : before + "," + LOOPBACK);
      }
    }
    result.putAll(own);
    return new LinkedHashMap<>(result);
  }

  private static boolean isForeign(String name) {
    return FOREIGN.stream().anyMatch(name::startsWith);
  }

  private static boolean isProxy(String name) {
    return name.equalsIgnoreCase("http_proxy")
        || name.equalsIgnoreCase("https_proxy")
        || name.equalsIgnoreCase("all_proxy");
  }
}
