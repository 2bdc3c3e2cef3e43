/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The agent of the benchmark: requests an answer with its whole conversation, appends the line that
 * the answer asks for to a file, and requests again, until an answer has no tool call. A new
 * process with the same home continues the conversation. It does nothing else, so that a turn's
 * time is that of the gateway, the capture and the endpoint.
 */
public final class AppendingAgentMain {
  /** File in the agent's home, one message per line. */
  static final String TRANSCRIPT = "transcript.jsonl";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int OK = 200;

  private AppendingAgentMain() {}

  public static void main(String... arguments) throws IOException, InterruptedException {
    Path transcript = Path.of(System.getenv("BATON_AGENT_HOME"), TRANSCRIPT);
    String prompt = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    ArrayNode messages = JSON.createArrayNode();
    if (Files.exists(transcript)) {
      for (String line : Files.readAllLines(transcript)) {
        messages.add(JSON.readTree(line));
      }
    } else {
      append(transcript, messages, "user", JSON.getNodeFactory().textNode(prompt));
    }
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      while (true) {
        JsonNode content = answer(http, messages);
        append(transcript, messages, "assistant", content);
        ArrayNode results = JSON.createArrayNode();
        for (JsonNode block : content) {
          if (block.path("type").asText().equals("tool_use")) {
            appendLine(block.path("input"));
            results
                .addObject()
                .put("type", "tool_result")
                .put("tool_use_id", block.path("id").asText())
                .put("content", "done");
          }
        }
        if (results.isEmpty()) {
          return;
        }
        append(transcript, messages, "user", results);
      }
    }
  }

  private static void appendLine(JsonNode input) throws IOException {
    Files.writeString(
        Path.of(input.path("file").asText()),
        input.path("line").asText() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static void append(Path transcript, ArrayNode messages, String role, JsonNode content)
      throws IOException {
    ObjectNode message = JSON.createObjectNode().put("role", role);
    message.set("content", content);
    messages.add(message);
    Files.writeString(
        transcript, message + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Returns the blocks of the answer, which is not streamed. */
  private static JsonNode answer(HttpClient http, ArrayNode messages)
      throws IOException, InterruptedException {
    ObjectNode body = JSON.createObjectNode();
    body.put("model", System.getenv("BATON_MODEL")).put("max_tokens", 1_000);
    body.set("messages", messages);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(System.getenv("ANTHROPIC_BASE_URL")).resolve("/v1/messages"))
            .header("content-type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .header("x-api-key", System.getenv("ANTHROPIC_API_KEY"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
            .build();
    HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != OK) {
      throw new IOException(
          "status "
              + response.statusCode()
              + ": "
              + new String(response.body(), StandardCharsets.UTF_8));
    }
    return JSON.readTree(response.body()).path("content");
  }
}
