/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.process.AgentEnvironment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Changes the database of OpenCode by its command {@code db}.
 *
 * @param home with the database
 */
record OpenCodeDatabase(OpenCodeHome home, CheckedProgram program, AgentProcessStarter starter) {
  private static final Duration BOUND = Duration.ofSeconds(120);
  private static final int MOST_ERRORS = 4_096;

  /**
   * Moves all sessions in a folder to another one. Repeating it has no effect.
   *
   * @throws IOException when the database is damaged
   */
  void move(Path from, Path to) throws IOException, InterruptedException {
    query(
        "UPDATE session SET directory = %s, path = %s"
            .formatted(
                moved("directory", text(from), text(to)),
                moved("path", text(relative(from)), text(relative(to)))));
  }

  private static String moved(String column, String from, String to) {
    return ("CASE WHEN %1$s = %2$s OR substr(%1$s, 1, length(%2$s) + 1) = %2$s || '/'"
            + " THEN %3$s || substr(%1$s, length(%2$s) + 1) ELSE %1$s END")
        .formatted(column, from, to);
  }

  /** Without a repository, {@code path} is relative to the root. */
  private static Path relative(Path path) {
    return path.getRoot().relativize(path);
  }

  private static String text(Path path) {
    return "'" + path.toString().replace("'", "''") + "'";
  }

  private void query(String sql) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(program.command());
    arguments.addAll(List.of("db", "--pure", sql));
    Map<String, String> own = home.folders();
    own.put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
    Files.createDirectories(home.home().resolve("tmp"));
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                arguments, AgentEnvironment.of(Map.of(), own), home.home()));
    CompletableFuture<String> errors = new CompletableFuture<>();
    Thread.ofVirtual().name("opencode-db").start(() -> errors.complete(head(process.stderr())));
    Thread.ofVirtual().name("opencode-db").start(() -> head(process.stdout()));
    try {
      process.stdin().close();
      int exit = process.onExit().get(BOUND.toMillis(), TimeUnit.MILLISECONDS);
      if (exit != 0) {
        throw new IOException(
            "opencode db: exit code %d; the sessions keep their old folder: %s"
                .formatted(exit, errors.get(5, TimeUnit.SECONDS).strip()));
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("opencode db: did not end within " + BOUND.toSeconds() + " s", e);
    } finally {
      process.kill();
    }
  }

  private static String head(InputStream in) {
    try (in) {
      String text = new String(in.readNBytes(MOST_ERRORS), StandardCharsets.UTF_8);
      byte[] rest = new byte[MOST_ERRORS];
      while (in.read(rest) >= 0) {
        // Only the beginning counts.
      }
      return text;
    } catch (IOException e) {
      return "unreadable: " + e;
    }
  }
}
