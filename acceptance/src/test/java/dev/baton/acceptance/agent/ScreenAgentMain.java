/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An agent with a screen in its smallest form: each line that a person types is a message to the
 * model, whose answer it shows. Keeps its conversation in its home, and continues it when it is
 * started again.
 */
public final class ScreenAgentMain {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path transcript =
      Path.of(System.getenv("BATON_AGENT_HOME")).resolve("transcript.jsonl");
  private final ArrayNode messages = JSON.createArrayNode();

  private ScreenAgentMain() {}

  public static void main(String[] arguments) throws Exception {
    ScreenAgentMain agent = new ScreenAgentMain();
    System.out.println("task: " + Files.readString(Path.of(System.getenv("BATON_PROMPT_FILE"))));
    agent.run();
    Files.writeString(Path.of(System.getenv("BATON_RESULT_FILE")), "the end");
  }

  private void run() throws IOException, InterruptedException {
    if (Files.exists(transcript)) {
      for (String line : Files.readAllLines(transcript)) {
        messages.add(JSON.readTree(line));
      }
    }
    if (messages.size() % 2 == 1) {
      answer(); // The last message has no answer yet.
    }
    System.out.println("ready");
    BufferedReader keys =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = keys.readLine(); line != null; line = keys.readLine()) {
      if (line.equals("quit")) {
        return;
      }
      append("user", line);
      answer();
    }
  }

  private void answer() throws IOException, InterruptedException {
    ObjectNode body = JSON.createObjectNode();
    body.put("model", System.getenv("BATON_MODEL")).put("max_tokens", 1_000).put("stream", false);
    body.set("messages", messages);
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(
                    URI.create(System.getenv("ANTHROPIC_BASE_URL")).resolve("/v1/messages"))
                .header("content-type", "application/json")
                .header("anthropic-version", "2023-06-01")
                .header("x-api-key", System.getenv("ANTHROPIC_API_KEY"))
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode() + ": " + response.body());
    }
    JsonNode answer = JSON.readTree(response.body());
    String text = answer.path("content").path(0).path("text").asText();
    append("assistant", text);
    System.out.println("model: " + text);
  }

  private void append(String role, String text) throws IOException {
    ObjectNode message = JSON.createObjectNode().put("role", role).put("content", text);
    messages.add(message);
    Files.writeString(
        transcript, message + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
