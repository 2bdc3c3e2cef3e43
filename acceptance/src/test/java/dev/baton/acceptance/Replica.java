/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One more process of a service beside that of the stack: the same packaged program, on a port and
 * data of its own, with the same Kafka, Postgres and objects.
 */
final class Replica implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(600);
  private static final Duration STOPPED = Duration.ofSeconds(60);
  private static final String TEMP = "-Djava.io.tmpdir=";

  final int port;
  final Api api;
  private final List<String> command;
  private final Map<String, String> environment;
  private final Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private @Nullable Process process;

  /**
   * @param more environment variables that go before those of the stack's own
   */
  private Replica(
      int port,
      Path folder,
      List<String> command,
      Map<String, String> environment,
      Map<String, String> more) {
    this.port = port;
    this.api = new Api(url(port));
    this.folder = folder;
    this.command = command;
    this.environment = new HashMap<>(environment);
    this.environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
    this.environment.put("BATON_DATA", folder.toString());
    this.environment.putAll(more);
  }

  /** As the stack's component, which must be running now. Starts nothing yet. */
  static Replica like(
      SharedStack.Running on, Component component, int port, Map<String, String> more)
      throws IOException {
    long pid = on.stack.process(component).orElseThrow().pid();
    Path folder = Files.createDirectories(on.folder.resolve(component.label() + "-" + port));
    Path temp = Files.createDirectories(folder.resolve("tmp"));
    List<String> command =
        words(Path.of("/proc", Long.toString(pid), "cmdline")).stream()
            .map(word -> word.startsWith(TEMP) ? TEMP + temp : word)
            .toList();
    Map<String, String> environment = new HashMap<>();
    for (String pair : words(Path.of("/proc", Long.toString(pid), "environ"))) {
      int at = pair.indexOf('=');
      environment.put(pair.substring(0, at), pair.substring(at + 1));
    }
    return new Replica(port, folder, command, environment, more);
  }

  private static List<String> words(Path file) throws IOException {
    return Arrays.asList(
            new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0", -1))
        .stream()
        .filter(word -> !word.isEmpty())
        .toList();
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  static String url(int port) {
    return "http://127.0.0.1:" + port;
  }

  /** Starts it and waits until it is ready. */
  void start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(folder.toFile());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    process = builder.start();
    Await.until("the replica at " + port + " is ready", READY, () -> status("ready") == 200);
  }

  Path log() {
    return folder.resolve("out.log");
  }

  /** The status of {@code /q/health/…}. */
  int status(String health) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(url(port) + "/q/health/" + health))
                .timeout(Duration.ofSeconds(10))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** SIGKILL. */
  void kill() {
    Process running = Objects.requireNonNull(process);
    running.destroyForcibly();
    Await.until("the replica at " + port + " is gone", STOPPED, () -> !running.isAlive());
  }

  /** SIGTERM, and the end. */
  void stop() {
    Process running = Objects.requireNonNull(process);
    running.destroy();
    Await.until("the replica at " + port + " has stopped", STOPPED, () -> !running.isAlive());
  }

  @Override
  public void close() throws InterruptedException {
    Process running = process;
    if (running != null && running.isAlive()) {
      running.destroy();
      if (!running.waitFor(STOPPED.toSeconds(), TimeUnit.SECONDS)) {
        running.destroyForcibly();
      }
    }
  }
}
