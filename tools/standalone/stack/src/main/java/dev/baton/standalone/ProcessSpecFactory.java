/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.ProcessSignal;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import dev.baton.standalone.jvm.AotCacheDirectory;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.HeapSettings;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.jvm.JvmCommand.Jit;
import dev.baton.standalone.jvm.JvmProgram;
import dev.baton.standalone.jvm.NativeLibraryCache;
import dev.baton.standalone.postgres.PostgresInstallation;
import dev.baton.standalone.postgres.PostgresServer;
import dev.baton.standalone.process.ProcessSpec;
import dev.baton.standalone.process.ReadinessProbe;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Defines how each component is started: its command, its environment and its readiness probe. */
record ProcessSpecFactory(
    InstallationLayout layout,
    StackPaths folders,
    StackAccess access,
    AotMode aot,
    AotMode runnerAot,
    boolean compact,
    Map<StackComponent, Map<String, String>> extraEnvironment) {

  private static final String RUNNER = "runner";

  /** Argument with which a runner also loads what only a warm runner does. */
  private static final String TRAIN = "--train";

  private static final HeapSettings KAFKA_HEAP = new HeapSettings(256, HeapSettings.Use.REQUESTS);
  private static final HeapSettings S3_HEAP = new HeapSettings(128, HeapSettings.Use.REQUESTS);
  private static final HeapSettings STORE_HEAP = new HeapSettings(512, HeapSettings.Use.REQUESTS);
  private static final HeapSettings ORCHESTRATOR_HEAP =
      new HeapSettings(320, HeapSettings.Use.REQUESTS);

  /** Megabytes of heap that a component of a compact stack may use. */
  private static final Map<StackComponent, Integer> COMPACT_HEAPS =
      Map.of(
          StackComponent.KAFKA, 128,
          StackComponent.S3, 64,
          StackComponent.STORE, 224,
          StackComponent.ORCHESTRATOR, 192);

  private static final Pattern SERVER_READY = Pattern.compile("(?m)^ready \\d+$");
  private static final Pattern POSTGRES_READY =
      Pattern.compile("database system is ready to accept connections");
  private static final Duration READY_WITHIN = Duration.ofSeconds(120);

  /** A program that records for its AOT cache starts several times slower. */
  private static final Duration READY_WITHIN_TRAINING = Duration.ofSeconds(360);

  private static final Duration STOP_WITHIN = Duration.ofSeconds(20);
  // The AOT cache is written while the program exits: 15 to 40 s, on a busy machine over 120.
  private static final Duration STOP_WITHIN_TRAINING = Duration.ofSeconds(240);

  /** Returns a factory for the programs of another installation. */
  ProcessSpecFactory of(InstallationLayout installation) {
    return new ProcessSpecFactory(
        installation, folders, access, aot, runnerAot, compact, extraEnvironment);
  }

  ProcessSpec of(StackComponent component) throws IOException {
    String name = component.label();
    return spec(component, name, environment(component, folders.of(name)), readiness(component));
  }

  /** Defines another instance of a service, with a separate port and data folder. */
  ProcessSpec replica(StackComponent service, int port, Map<String, String> more)
      throws IOException {
    String name = service.label() + "-" + port;
    Map<String, String> environment = environment(service, folders.of(name));
    environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
    environment.putAll(more);
    return spec(service, name, environment, ready(access.service(port)));
  }

  private ProcessSpec spec(
      StackComponent component,
      String name,
      Map<String, String> environment,
      ReadinessProbe readiness)
      throws IOException {
    Path folder = folders.of(name);
    return new ProcessSpec(
        name,
        command(component, name, folder),
        environment,
        folder,
        folders.log(name),
        readiness,
        aot == AotMode.TRAIN ? READY_WITHIN_TRAINING : READY_WITHIN,
        component == StackComponent.POSTGRES ? ProcessSignal.INT : ProcessSignal.TERM,
        aot == AotMode.TRAIN ? STOP_WITHIN_TRAINING : STOP_WITHIN);
  }

  /** Command of a runner; creates the folder for temporary files that all runners share. */
  JvmCommand runner(AotMode mode) throws IOException {
    Path temp = StackPaths.ownersOnly(folders.temp(RUNNER));
    return new JvmCommand(
        layout.packaged(RUNNER), HeapSettings.RUNNER, Jit.FULL, caches(), mode, libraries(), temp);
  }

  /** Command of a component that is a Java program; empty for Postgres. */
  Optional<JvmCommand> jvm(StackComponent component) throws IOException {
    return jvm(component, component.label());
  }

  private Optional<JvmCommand> jvm(StackComponent component, String name) throws IOException {
    Path temp = folders.temp(name);
    return switch (component) {
      case KAFKA -> Optional.of(java(component, layout.kafka(), KAFKA_HEAP, Jit.FULL, temp));
      case POSTGRES -> Optional.empty();
      // It hashes all uploaded data, ten times as fast with the optimizing compiler.
      case S3 -> Optional.of(java(component, layout.s3(), S3_HEAP, Jit.FULL, temp));
      // It hashes all stored data, too, and others wait for its start.
      case STORE -> Optional.of(java(component, packaged(component), STORE_HEAP, Jit.FULL, temp));
      case ORCHESTRATOR ->
          Optional.of(java(component, packaged(component), ORCHESTRATOR_HEAP, Jit.QUICK, temp));
    };
  }

  private ProcessSpec.Command command(StackComponent component, String name, Path folder) {
    return () -> {
      Optional<JvmCommand> jvm = jvm(component, name);
      if (jvm.isEmpty()) {
        return new PostgresServer(PostgresInstallation.unpack(folders.cache()), folder)
            .prepare(access.postgres().port(), access.postgres().password());
      }
      // Leftovers of a killed process; no other process uses them.
      DirectoryTreeDeleter.delete(jvm.get().temp());
      StackPaths.ownersOnly(jvm.get().temp());
      return jvm.get().line(arguments(component, folder));
    };
  }

  private List<String> arguments(StackComponent component, Path folder) {
    return switch (component) {
      case KAFKA ->
          List.of(
              "--port",
              Integer.toString(access.kafkaPort()),
              "--controller-port",
              Integer.toString(access.kafkaControllerPort()),
              "--data",
              folder.toString());
      case S3 -> List.of("--port", Integer.toString(access.s3Port()), "--data", folder.toString());
      case POSTGRES, STORE, ORCHESTRATOR -> List.of();
    };
  }

  private ReadinessProbe readiness(StackComponent component) {
    return switch (component) {
      case KAFKA, S3 -> new ReadinessProbe.LogLine(SERVER_READY);
      case POSTGRES -> new ReadinessProbe.LogLine(POSTGRES_READY);
      case STORE -> ready(access.storeUrl());
      case ORCHESTRATOR -> ready(access.orchestratorUrl());
    };
  }

  private ReadinessProbe ready(String service) {
    return new ReadinessProbe.Http(
        URI.create(service + "/q/health/ready"),
        access.tls().map(StackCertificates::client).orElse(TlsSettings.NONE));
  }

  private Map<String, String> environment(StackComponent component, Path folder)
      throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put(StandaloneStack.MARK, folders.data().toString());
    // Two of glibc's memory pools instead of eight per core: they are most of an idle JVM's memory
    // outside the heap.
    environment.put("MALLOC_ARENA_MAX", "2");
    switch (component) {
      case KAFKA, POSTGRES -> {}
      case S3 -> {
        environment.put("BATON_S3_ACCESS_KEY", access.s3().accessKey());
        environment.put("BATON_S3_SECRET_KEY", access.s3().secretKey());
      }
      case STORE -> {
        service(environment, folder, access.storePort());
        environment.put("BATON_OBJECT_STORE_ENDPOINT", access.s3().endpoint());
        environment.put("BATON_OBJECT_STORE_BUCKET", access.s3().bucket());
        environment.put("BATON_OBJECT_STORE_ACCESS_KEY", access.s3().accessKey());
        environment.put("BATON_OBJECT_STORE_SECRET_KEY", access.s3().secretKey());
        environment.put("BATON_OBJECT_STORE_REGION", access.s3().region());
      }
      case ORCHESTRATOR -> {
        service(environment, folder, access.orchestratorPort());
        List<String> arguments = runnerAot == AotMode.TRAIN ? List.of(TRAIN) : List.of();
        environment.put(
            "BATON_LAUNCHER_PROCESS_COMMAND", String.join("\n", runner(runnerAot).line(arguments)));
        access
            .tls()
            .map(StackCertificates::client)
            .ifPresent(
                client -> {
                  environment.put(
                      "BATON_RUNNER_TLS_CERTIFICATE",
                      client.certificate().orElseThrow().toString());
                  environment.put("BATON_RUNNER_TLS_KEY", client.key().orElseThrow().toString());
                });
      }
    }
    environment.putAll(extraEnvironment.getOrDefault(component, Map.of()));
    return environment;
  }

  private void service(Map<String, String> environment, Path folder, int port) {
    environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
    environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
    environment.put("KAFKA_BOOTSTRAP_SERVERS", access.kafkaBootstrap());
    environment.put("BATON_DB_HOST", access.postgres().host());
    environment.put("BATON_DB_PORT", Integer.toString(access.postgres().port()));
    environment.put("BATON_DB_NAME", access.postgres().database());
    environment.put("BATON_DB_USER", access.postgres().user());
    environment.put("BATON_DB_PASSWORD", access.postgres().password());
    environment.put("BATON_STORE_URL", access.storeUrl());
    environment.put("BATON_ORCHESTRATOR_URL", access.orchestratorUrl());
    access.tls().ifPresent(tls -> environment.putAll(tls.service().environment()));
    environment.put("BATON_DATA", folder.toString());
    environment.put("BATON_HEARTBEAT_INTERVAL", "1s");
    environment.put("BATON_HEARTBEAT_TIMEOUT", "3s");
    environment.put("BATON_LEASE_REQUIRED", "false");
    environment.put("BATON_IDENTITY_ADMIN_KEYS_FILE", LocalKeyFile.of(folders.data()).toString());
  }

  private JvmProgram packaged(StackComponent service) throws IOException {
    return layout.packaged(service.label());
  }

  private JvmCommand java(
      StackComponent component, JvmProgram program, HeapSettings heap, Jit jit, Path temp) {
    int limit =
        compact ? COMPACT_HEAPS.getOrDefault(component, heap.megabytes()) : heap.megabytes();
    return new JvmCommand(program, heap, limit, jit, caches(), aot, libraries(), temp);
  }

  private NativeLibraryCache libraries() {
    return new NativeLibraryCache(folders.nativeLibraries());
  }

  private AotCacheDirectory caches() {
    return new AotCacheDirectory(folders.aot());
  }
}
