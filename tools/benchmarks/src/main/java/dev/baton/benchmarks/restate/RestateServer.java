/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.restate;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Restate server and the service that it calls: two processes on 127.0.0.1, on free ports. */
final class RestateServer implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Map<String, String> SERVICE =
      Map.of("NODE_ENV", "production", "RESTATE_LOGGING", "ERROR");
  private static final List<String> FILES = List.of("package.json", "service.mjs");

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final Path data;
  private List<String> serviceCommand = List.of();
  private final List<Process> processes = new ArrayList<>();
  private final int ingress = freePort();
  private final int admin = freePort();
  private final int metrics = freePort();
  private final int service = freePort();

  private RestateServer(Path data) throws IOException {
    this.data = data;
  }

  /**
   * @param packages where npm's packages are kept between measurements
   * @param data an empty folder for the server
   * @throws IOException when one of the two does not become ready; then none is left running
   */
  static RestateServer start(
      NodeInstallation tools, Path packages, Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    progress.accept("restate: packages in " + packages);
    tools.install(packages, FILES);
    RestateServer server = new RestateServer(data);
    try {
      server.launch(tools, packages);
      progress.accept("restate ready");
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Sends SIGKILL to the service and starts it again, on the same port, as soon as it is gone.
   *
   * @return the new process; its output must be read
   */
  Process restartService() throws IOException, InterruptedException {
    Process killed = processes.getLast();
    killed.destroyForcibly().waitFor();
    ProcessBuilder builder = new ProcessBuilder(serviceCommand).redirectErrorStream(true);
    builder.environment().putAll(SERVICE);
    Process started = builder.start();
    processes.set(processes.size() - 1, started);
    return started;
  }

  URI ingress() {
    return URI.create("http://127.0.0.1:" + ingress);
  }

  URI metrics() {
    return URI.create("http://127.0.0.1:" + metrics + "/metrics");
  }

  HttpClient http() {
    return http;
  }

  /** Returns both processes, with their parts. */
  Map<Long, String> processes() {
    return Map.of(processes.get(0).pid(), "restate-server", processes.get(1).pid(), "service");
  }

  @Override
  public void close() {
    processes.forEach(Process::destroy);
    try {
      for (Process process : processes) {
        if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    } catch (InterruptedException e) {
      processes.forEach(Process::destroyForcibly);
      Thread.currentThread().interrupt();
    }
    http.shutdownNow();
  }

  private void launch(NodeInstallation tools, Path packages)
      throws IOException, InterruptedException {
    launch(
        "server",
        List.of(program(packages).toString(), "--no-logo", "--base-dir", data.toString()),
        Map.of(
            "RESTATE_BIND_ADDRESS", "127.0.0.1:" + metrics,
            "RESTATE_INGRESS__BIND_ADDRESS", "127.0.0.1:" + ingress,
            "RESTATE_ADMIN__BIND_ADDRESS", "127.0.0.1:" + admin,
            "RESTATE_LISTEN_MODE", "tcp",
            "RESTATE_DISABLE_TELEMETRY", "true",
            "DO_NOT_TRACK", "1",
            // Two log lines per run would be measured, too.
            "RESTATE_LOG_FILTER", "warn"));
    serviceCommand =
        List.of(
            tools.node().toString(),
            packages.resolve("service.mjs").toString(),
            Integer.toString(service));
    launch("service", serviceCommand, SERVICE);
    String registration = "{\"uri\":\"http://127.0.0.1:" + service + "\"}";
    await(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin + "/deployments"))
            .timeout(Duration.ofSeconds(5))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(registration))
            .build());
    await(
        HttpRequest.newBuilder(ingress().resolve("/restate/health"))
            .timeout(Duration.ofSeconds(5))
            .build());
  }

  private void launch(String name, List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(data.resolve(name + ".log").toFile());
    builder.environment().putAll(environment);
    processes.add(builder.start());
  }

  private void await(HttpRequest request) throws IOException, InterruptedException {
    long end = System.nanoTime() + READY.toNanos();
    String last = "no answer";
    while (System.nanoTime() < end) {
      for (Process process : processes) {
        if (!process.isAlive()) {
          throw new IOException("Restate ended with " + process.exitValue() + "; logs in " + data);
        }
      }
      @Nullable String failure = attempt(request);
      if (failure == null) {
        return;
      }
      last = failure;
      // No event signals that the server is ready.
      Thread.sleep(100);
    }
    throw new IOException("Restate is not ready after " + READY + ": " + last);
  }

  private @Nullable String attempt(HttpRequest request) throws InterruptedException {
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      return answer.statusCode() / 100 == 2 ? null : request.uri() + " answered " + answer.body();
    } catch (IOException e) {
      return request.uri() + ": " + e;
    }
  }

  private static Path program(Path packages) throws IOException {
    // The package of this platform; npm installs only the matching one.
    try (Stream<Path> found = Files.list(packages.resolve("node_modules/@restatedev"))) {
      return found
          .map(folder -> folder.resolve("bin/restate-server"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(() -> new IOException("npm has no restate-server for this platform"));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
