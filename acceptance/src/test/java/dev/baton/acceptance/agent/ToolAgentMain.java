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
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A coding agent in its smallest form: requests an answer, runs its tools, and requests again,
 * until an answer has no tools. Keeps its conversation in its home, and continues it when it is
 * started again. Knows nothing of the gateway.
 */
public final class ToolAgentMain {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ATTEMPTS = 50;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path transcript;
  private final ArrayNode messages = JSON.createArrayNode();

  private ToolAgentMain(Path transcript) {
    this.transcript = transcript;
  }

  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(System.getenv("BATON_AGENT_HOME"));
    // Must not be captured: only the allowed files of a home are.
    Files.createDirectories(home.resolve("tmp"));
    Files.writeString(home.resolve("tmp/credentials"), System.getenv("ANTHROPIC_API_KEY"));
    String prompt = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    ToolAgentMain agent = new ToolAgentMain(home.resolve("transcript.jsonl"));
    System.exit(agent.run(prompt));
  }

  private int run(String prompt) throws IOException, InterruptedException {
    if (Files.exists(transcript)) {
      for (String line : Files.readAllLines(transcript)) {
        messages.add(JSON.readTree(line));
      }
    } else {
      append("user", JSON.createArrayNode().add(text(prompt)));
    }
    while (true) {
      JsonNode answer = request();
      if (answer.has("refused")) {
        System.err.println(answer.path("refused").asText());
        return 1;
      }
      append("assistant", answer.path("content"));
      ArrayNode results = JSON.createArrayNode();
      for (JsonNode block : answer.path("content")) {
        if (block.path("type").asText().equals("tool_use")) {
          results.add(result(block, tool(block.path("name").asText(), block.path("input"))));
        } else {
          System.out.println(block.path("text").asText());
        }
      }
      if (results.isEmpty()) {
        return 0;
      }
      append("user", results);
    }
  }

  private static ObjectNode text(String text) {
    return JSON.createObjectNode().put("type", "text").put("text", text);
  }

  private static ObjectNode result(JsonNode call, String content) {
    return JSON.createObjectNode()
        .put("type", "tool_result")
        .put("tool_use_id", call.path("id").asText())
        .put("content", content);
  }

  private void append(String role, JsonNode content) throws IOException {
    ObjectNode message = JSON.createObjectNode().put("role", role);
    message.set("content", content);
    messages.add(message);
    Files.writeString(
        transcript, message + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Changes a file: not idempotent, so that a repeated call would be seen. */
  private static String tool(String name, JsonNode input) throws IOException, InterruptedException {
    Path file = Path.of(input.path("file").asText());
    TimeUnit.MILLISECONDS.sleep(20);
    switch (name) {
      case "append" ->
          Files.writeString(
              file,
              input.path("line").asText() + "\n",
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
      case "double" -> Files.writeString(file, Files.readString(file).strip() + "x\n");
      default -> throw new IOException("unknown tool " + name);
    }
    return "done " + name;
  }

  private JsonNode request() throws IOException, InterruptedException {
    ObjectNode body = JSON.createObjectNode();
    body.put("model", System.getenv("BATON_MODEL")).put("max_tokens", 1_000).put("stream", true);
    body.put("system", "You work in " + Path.of("").toAbsolutePath());
    body.set("messages", messages);
    body.putArray("tools").addObject().put("name", "append").putObject("input_schema");
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(System.getenv("ANTHROPIC_BASE_URL")).resolve("/v1/messages"))
            .header("content-type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .header("x-api-key", System.getenv("ANTHROPIC_API_KEY"))
            .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    for (int attempt = 1; ; attempt++) {
      try {
        HttpResponse<java.io.InputStream> response =
            http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
          if (response.statusCode() == 200) {
            return assembled(lines);
          }
          String error = lines.lines().reduce("", String::concat);
          if (response.statusCode() == 402 || attempt == ATTEMPTS) {
            return JSON.createObjectNode()
                .put("refused", "status " + response.statusCode() + ": " + error);
          }
        }
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  /** Reads a stream of events up to its end. */
  private static JsonNode assembled(BufferedReader lines) throws IOException {
    Map<Integer, ObjectNode> blocks = new TreeMap<>();
    Map<Integer, StringBuilder> inputs = new TreeMap<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.startsWith("data:")) {
        continue;
      }
      JsonNode event = JSON.readTree(line.substring("data:".length()));
      int index = event.path("index").asInt();
      switch (event.path("type").asText()) {
        case "content_block_start" ->
            blocks.put(index, (ObjectNode) event.path("content_block").deepCopy());
        case "content_block_delta" -> {
          JsonNode delta = event.path("delta");
          if (delta.has("partial_json")) {
            inputs
                .computeIfAbsent(index, key -> new StringBuilder())
                .append(delta.path("partial_json").asText());
          } else if (delta.has("text")) {
            ObjectNode block = Objects.requireNonNull(blocks.get(index));
            block.put("text", block.path("text").asText() + delta.path("text").asText());
          }
        }
        case "message_stop" -> {
          ObjectNode answer = JSON.createObjectNode();
          ArrayNode content = answer.putArray("content");
          for (Map.Entry<Integer, ObjectNode> block : blocks.entrySet()) {
            StringBuilder input = inputs.get(block.getKey());
            if (input != null) {
              block.getValue().set("input", JSON.readTree(input.toString()));
            }
            content.add(block.getValue());
          }
          return answer;
        }
        default -> {}
      }
    }
    throw new IOException("the answer broke off");
  }
}
