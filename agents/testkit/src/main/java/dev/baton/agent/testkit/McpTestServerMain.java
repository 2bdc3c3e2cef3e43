/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * An MCP server for tests, on stdin and stdout: a counter in its memory. With the argument {@code
 * checkpoint} it offers its counter as {@code checkpoint://state}, with {@code hang} it never
 * answers a read of that, with {@code refuse} it takes no state, with {@code file=PATH} it keeps
 * the counter in a file. The tool {@code wait} ends when the counter is at least {@code n}. Each
 * addition is also a line of the file that the variable LEDGER names.
 */
public final class McpTestServerMain {
  private static final Object OUTPUT = new Object();
  private final Set<String> modes;
  private final Path file;
  private long counter;

  private McpTestServerMain(Set<String> modes, Path file) throws IOException {
    this.modes = modes;
    this.file = file;
    if (isKept() && Files.exists(file)) {
      counter = Long.parseLong(Files.readString(file).strip());
    }
  }

  private boolean isKept() {
    return !file.toString().isEmpty();
  }

  /** Returns the command that runs the server with the classes of this program. */
  public static List<String> command(String... modes) throws URISyntaxException {
    Set<String> places = new LinkedHashSet<>();
    for (Class<?> type :
        List.of(
            McpTestServerMain.class,
            Json.class,
            JsonNode.class,
            com.fasterxml.jackson.core.JsonFactory.class,
            com.fasterxml.jackson.annotation.JsonProperty.class,
            com.fasterxml.jackson.datatype.jsr310.JavaTimeModule.class)) {
      places.add(
          Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                String.join(File.pathSeparator, places),
                McpTestServerMain.class.getName()));
    command.addAll(List.of(modes));
    return command;
  }

  /**
   * @param arguments modes
   */
  public static void main(String[] arguments) throws IOException {
    String file = "";
    for (String argument : arguments) {
      file = argument.startsWith("file=") ? argument.substring(5) : file;
    }
    McpTestServerMain server = new McpTestServerMain(Set.of(arguments), Path.of(file));
    System.err.println("test server is ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode message = Json.mapper().readTree(line);
      if (message.has("id") && message.has("method")) {
        // A call that hangs must not block others.
        Thread.ofPlatform().daemon().start(() -> server.answer(message));
      }
    }
  }

  private void answer(JsonNode request) {
    ObjectNode response = Json.mapper().createObjectNode().put("jsonrpc", "2.0");
    try {
      JsonNode result = result(request);
      response.set("result", result);
    } catch (IOException | RuntimeException | InterruptedException e) {
      response.putObject("error").put("code", -32_603).put("message", String.valueOf(e));
    }
    response.set("id", request.path("id"));
    write(response);
  }

  private static void write(ObjectNode message) {
    synchronized (OUTPUT) {
      System.out.println(message);
      System.out.flush();
    }
  }

  private JsonNode result(JsonNode request) throws IOException, InterruptedException {
    ObjectNode result = Json.mapper().createObjectNode();
    JsonNode params = request.path("params");
    switch (request.path("method").asText()) {
      case "initialize" -> {
        result.put("protocolVersion", params.path("protocolVersion").asText());
        ObjectNode capabilities = result.putObject("capabilities");
        capabilities.putObject("tools").put("listChanged", true);
        capabilities.putObject("logging");
        if (modes.contains("checkpoint")) {
          capabilities.putObject("resources");
        }
        result.putObject("serverInfo").put("name", "test").put("version", "1");
      }
      case "tools/list" -> tools(result.putArray("tools"));
      case "resources/list" ->
          result
              .putArray("resources")
              .addObject()
              .put("uri", "checkpoint://state")
              .put("name", "state");
      case "resources/read" -> {
        if (modes.contains("hang")) {
          new CountDownLatch(1).await();
        }
        result
            .putArray("contents")
            .addObject()
            .put("uri", "checkpoint://state")
            .put("mimeType", "application/json")
            .put("text", "{\"counter\":" + read() + "}");
      }
      case "tools/call" ->
          result
              .putArray("content")
              .addObject()
              .put("type", "text")
              .put("text", call(params, params.path("arguments")));
      default -> throw new IOException("unknown method");
    }
    return result;
  }

  private static void tools(ArrayNode tools) {
    for (String name : List.of("add", "crash", "wait", "restore_checkpoint")) {
      ObjectNode tool = tools.addObject().put("name", name).put("description", "tool " + name);
      ObjectNode schema = tool.putObject("inputSchema").put("type", "object");
      schema
          .putObject("properties")
          .putObject(name.equals("restore_checkpoint") ? "state" : "n")
          .put("type", name.equals("restore_checkpoint") ? "object" : "integer");
    }
  }

  private synchronized long read() {
    return counter;
  }

  private String call(JsonNode params, JsonNode arguments)
      throws IOException, InterruptedException {
    switch (params.path("name").asText()) {
      case "add" -> {
        return add(arguments.path("n").asLong());
      }
      case "wait" -> {
        ObjectNode progress =
            Json.mapper()
                .createObjectNode()
                .put("jsonrpc", "2.0")
                .put("method", "notifications/progress");
        progress
            .putObject("params")
            .put("progress", 1)
            .set("progressToken", params.path("_meta").path("progressToken"));
        write(progress);
        awaitCounter(arguments.path("n").asLong());
        return "waited";
      }
      case "restore_checkpoint" -> {
        if (modes.contains("refuse")) {
          throw new IOException("the state is refused");
        }
        synchronized (this) {
          counter = arguments.path("state").path("counter").asLong(-1_000);
          notifyAll();
        }
        return "restored";
      }
      case "crash" -> {
        add(arguments.path("n").asLong());
        Runtime.getRuntime().halt(3);
        return "";
      }
      default -> throw new IOException("unknown tool");
    }
  }

  private synchronized void awaitCounter(long least) throws InterruptedException {
    while (counter < least) {
      wait();
    }
  }

  private synchronized String add(long n) throws IOException {
    counter += n;
    notifyAll();
    if (isKept()) {
      Files.writeString(file, Long.toString(counter));
    }
    String ledger = System.getenv("LEDGER");
    if (ledger != null) {
      Files.writeString(
          Path.of(ledger), "+" + n + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return "counter is " + counter;
  }
}
