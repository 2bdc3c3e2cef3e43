/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
  private static final List<String> PRODUCTS =
      List.of(
          "cli/target/baton-cli.jar",
          "tools/standalone/stack/target/baton-standalone-1.jar",
          "tools/standalone/kafka/target/baton-standalone-kafka-1.jar",
          "tools/standalone/s3/target/baton-standalone-s3-1.jar",
          "checkpoint-store/target/quarkus-app/quarkus-run.jar",
          "orchestrator/target/quarkus-app/quarkus-run.jar",
          "runner/target/quarkus-app/quarkus-run.jar");

  @TempDir Path folder;

  @BeforeEach
  void build() throws IOException {
    Path home = folder.resolve("checkout");
    for (String product : PRODUCTS) {
      Path file = home.resolve(product);
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.createFile(file);
    }
    System.setProperty("baton.home", home.toString());
  }

  @AfterEach
  void forget() {
    System.clearProperty("baton.home");
  }

  private InProcessCli cli(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("HOME", folder.toString());
    return new InProcessCli(environment, "");
  }

  /** As a stack leaves it that was stopped. */
  private void lastPort(int port) throws IOException {
    Files.createDirectories(folder.resolve(".baton"));
    Files.writeString(
        folder.resolve(".baton/stack.json"), "{\"ports\":{\"orchestrator\":" + port + "}}");
  }

  private static JsonNode check(InProcessCli.Result result, String name) {
    JsonNode all = Json.tree(result.out().getBytes(StandardCharsets.UTF_8));
    for (JsonNode each : all.path("checks")) {
      if (each.path("name").asText().equals(name)) {
        return each;
      }
    }
    throw new AssertionError("no check '" + name + "' in " + all);
  }

  @Test
  void shouldFindNoProblemWhereThereIsNone() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      lastPort(socket.getLocalPort());
    }

    InProcessCli.Result result = cli(Map.of()).run("doctor");

    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out().lines())
        .allMatch(line -> line.startsWith("ok "))
        .anyMatch(line -> line.contains("JDK: 25"))
        .anyMatch(line -> line.contains("cache folder: " + folder.resolve(".cache/baton")))
        .anyMatch(line -> line.contains("disk space: "))
        .anyMatch(line -> line.contains("stack: not running"));
  }

  @Test
  void shouldNameEachProblemAndItsFix() throws IOException {
    Files.delete(folder.resolve("checkout/runner/target/quarkus-app/quarkus-run.jar"));
    Path file = Files.createFile(folder.resolve("file"));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      lastPort(taken.getLocalPort());

      InProcessCli.Result result =
          cli(Map.of("BATON_CACHE", file.toString())).run("doctor", "-o", "json");

      assertThat(result.code()).isOne();
      assertThat(check(result, "JDK").path("ok").asBoolean()).isTrue();
      assertThat(check(result, "modules").path("found").asText()).isEqualTo("not built: runner");
      assertThat(check(result, "modules").path("fix").asText()).contains("./baton up");
      assertThat(check(result, "cache folder").path("fix").asText()).contains("BATON_CACHE");
      assertThat(check(result, "port").path("fix").asText()).contains("--port");
      assertThat(check(result, "data folder").path("ok").asBoolean()).isTrue();
    }
  }

  @Test
  void shouldRequestTheHealthOfANamedServer() throws IOException {
    try (StubServer server = new StubServer()) {
      server.on("GET /q/health/ready", 200, "{\"status\":\"UP\"}");
      server.on("GET /q/health/ready", 503, "{\"status\":\"DOWN\"}");
      InProcessCli cli = cli(Map.of("BATON_SERVER", server.url()));

      assertThat(check(cli.run("doctor", "-o", "json"), "server").path("ok").asBoolean()).isTrue();
      assertThat(check(cli.run("doctor", "-o", "json"), "server").path("found").asText())
          .contains("503");
    }
    InProcessCli.Result gone =
        cli(Map.of("BATON_SERVER", "http://127.0.0.1:1")).run("doctor", "-o", "json");
    assertThat(check(gone, "server").path("found").asText()).startsWith("not reachable");
  }
}
