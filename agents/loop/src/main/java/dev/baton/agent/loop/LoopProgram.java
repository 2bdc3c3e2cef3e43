/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.mcp.McpClient;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.protocol.json.Json;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The command that runs {@link LoopMain} with the classes of this program. */
final class LoopProgram {
  /** A class of each library that the loop needs. */
  private static final List<String> CLASSES =
      List.of(
          LoopMain.class.getName(),
          AgentEvent.class.getName(),
          AgentFamily.class.getName(),
          McpClient.class.getName(),
          Json.class.getName(),
          "dev.langchain4j.model.chat.ChatModel",
          "dev.langchain4j.model.anthropic.AnthropicChatModel",
          "dev.langchain4j.model.openai.OpenAiChatModel",
          "dev.langchain4j.http.client.HttpClient",
          "dev.langchain4j.http.client.jdk.JdkHttpClient",
          "com.fasterxml.jackson.core.JsonFactory",
          "com.fasterxml.jackson.databind.ObjectMapper",
          "com.fasterxml.jackson.annotation.JsonProperty",
          "com.fasterxml.jackson.datatype.jsr310.JavaTimeModule",
          "org.slf4j.Logger",
          "org.jspecify.annotations.NullMarked");

  private LoopProgram() {}

  /**
   * @throws AgentProgramException when the libraries of the loop are not with this program
   */
  static List<String> command() throws AgentProgramException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    if (!Files.isExecutable(java)) {
      throw new AgentProgramException(
          "agent 'loop': %s does not exist; run the runner with a JDK or JRE".formatted(java));
    }
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx512m",
            "-Xshare:auto",
            "-Dfile.encoding=UTF-8",
            "-Dsun.jnu.encoding=UTF-8",
            // The loop needs no logging provider; without this, its absence is printed.
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            String.join(File.pathSeparator, libraries()),
            LoopMain.class.getName()));
    return command;
  }

  private static Set<String> libraries() throws AgentProgramException {
    Set<String> places = new LinkedHashSet<>();
    for (String name : CLASSES) {
      try {
        Class<?> type = Class.forName(name, false, LoopProgram.class.getClassLoader());
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
          throw new AgentProgramException(
              "agent 'loop': the file of class %s is not known".formatted(name));
        }
        places.add(Path.of(source.getLocation().toURI()).toString());
      } catch (ClassNotFoundException | URISyntaxException | IllegalArgumentException e) {
        throw new AgentProgramException(
            "agent 'loop': class %s is not found with this runner: %s".formatted(name, e));
      }
    }
    return places;
  }
}
