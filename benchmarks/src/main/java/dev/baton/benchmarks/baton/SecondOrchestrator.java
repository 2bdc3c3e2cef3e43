/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.standalone.Component;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another replica: the same command and settings as the stack's, on a port and data of its own. */
public final class SecondOrchestrator implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(180);
  private static final String TEMP = "-Djava.io.tmpdir=";

  private final Process process;
  private final Path folder;
  private final URI server;

  private SecondOrchestrator(Process process, Path folder, URI server) {
    this.process = process;
    this.folder = folder;
    this.server = server;
  }

  /**
   * Starts it and waits until it is ready.
   *
   * @throws IOException when it is not within three minutes
   */
  public static SecondOrchestrator like(EmbeddedStack stack, Path folder)
      throws IOException, InterruptedException {
    long pid = stack.pid(Component.ORCHESTRATOR);
    Path proc = Path.of("/proc", Long.toString(pid));
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path temp = Files.createDirectories(folder.resolve("tmp"));
    List<String> command = new ArrayList<>();
    for (String word : words(proc.resolve("cmdline"))) {
      command.add(word.startsWith(TEMP) ? TEMP + temp : word);
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    for (String pair : words(proc.resolve("environ"))) {
      int at = pair.indexOf('=');
      builder.environment().put(pair.substring(0, at), pair.substring(at + 1));
    }
    URI server = URI.create("http://127.0.0.1:" + port);
    builder.environment().put("QUARKUS_HTTP_PORT", Integer.toString(port));
    builder.environment().put("BATON_DATA", folder.toString());
    builder.environment().put("BATON_ORCHESTRATOR_URL", server + "," + stack.orchestrator());
    builder.directory(folder.toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(new File(folder.toFile(), "orchestrator.log")));
    SecondOrchestrator started = new SecondOrchestrator(builder.start(), folder, server);
    started.awaitReady();
    return started;
  }

  private static List<String> words(Path file) throws IOException {
    return Arrays.stream(
            new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0", -1))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  private void awaitReady() throws IOException, InterruptedException {
    HttpRequest ready =
        HttpRequest.newBuilder(server.resolve("/q/health/ready"))
            .timeout(Duration.ofSeconds(5))
            .build();
    long end = System.nanoTime() + READY.toNanos();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (System.nanoTime() < end && process.isAlive()) {
        try {
          if (http.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
            return;
          }
        } catch (IOException notYet) {
          // It is starting.
        }
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
    close();
    throw new IOException("the second orchestrator was not ready within " + READY);
  }

  /** Where its API is. */
  public URI server() {
    return server;
  }

  /** What its runners have as {@code instance}. */
  public String instance() throws IOException {
    return Files.readString(folder.resolve("instance-id")).strip();
  }

  /** SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
