/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.runner.capture.StoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Captures and restores directories with a runner's code, in a process configured like a runner's.
 * Each line of standard input is a request in JSON, each line of standard output its response:
 * {@code {"ok":true}} or {@code {"error":"…"}}. Logs go to standard error. Exits at the end of its
 * input.
 *
 * <ul>
 *   <li>{@code {"do":"begin","project":"…","tree":"…"}}: begins a run in a new project without
 *       stored data
 *   <li>{@code {"do":"capture"}}: captures the directory, as at the end of a step
 *   <li>{@code {"do":"verified"}}: waits until the store has verified the newest checkpoint
 *   <li>{@code {"do":"restore","target":"…"}}: restores the newest, like a runner that takes over
 * </ul>
 */
public final class CaptureMain {
  private CaptureMain() {}

  /**
   * @param args the store's address, {@code http://host:port}
   */
  public static void main(String... args) throws IOException, InterruptedException {
    // To standard error: no log manager is configured here.
    System.setProperty("org.jboss.logging.provider", "jdk");
    PrintStream answers = System.out;
    // Other output on standard output must not be taken for a response.
    System.setOut(System.err);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (RunnerSimulator runner = new RunnerSimulator(args[0])) {
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        answers.println(answer(runner, Json.tree(line.getBytes(StandardCharsets.UTF_8))));
        answers.flush();
      }
    }
  }

  private static ObjectNode answer(RunnerSimulator runner, JsonNode request)
      throws InterruptedException {
    ObjectNode answer = Json.mapper().createObjectNode();
    try {
      switch (request.path("do").asText()) {
        case "begin" ->
            runner.begin(request.path("project").asText(), Path.of(request.path("tree").asText()));
        case "capture" -> runner.capture();
        case "verified" -> runner.awaitVerified();
        case "restore" -> runner.restore(Path.of(request.path("target").asText()));
        default -> throw new IOException("unknown request " + request);
      }
      return answer.put("ok", true);
    } catch (IOException | StoreException | RuntimeException e) {
      // The stack trace goes to this process's log, which is its standard error.
      e.printStackTrace();
      return answer.put("error", String.valueOf(e));
    }
  }
}
