/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.files.Trees;
import dev.baton.standalone.jvm.AotCaches;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.Heap;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.jvm.JvmCommand.Jit;
import dev.baton.standalone.jvm.JvmProgram;
import dev.baton.standalone.jvm.Layout;
import dev.baton.standalone.jvm.NativeLibraries;
import dev.baton.standalone.postgres.PostgresBinaries;
import dev.baton.standalone.postgres.PostgresServer;
import dev.baton.standalone.process.ProcessSpec;
import dev.baton.standalone.process.Readiness;
import dev.baton.standalone.process.StopSignal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** How each component is started: its command, what it is told, how one sees that it is ready. */
record Specs(
    Layout layout,
    Folders folders,
    Access access,
    AotMode aot,
    Map<Component, Map<String, String>> extraEnvironment) {

  private static final String RUNNER = "runner";
  private static final Heap KAFKA_HEAP = new Heap(256, Heap.Use.REQUESTS);
  private static final Heap S3_HEAP = new Heap(128, Heap.Use.REQUESTS);
  private static final Heap STORE_HEAP = new Heap(512, Heap.Use.REQUESTS);
  private static final Heap ORCHESTRATOR_HEAP = new Heap(320, Heap.Use.REQUESTS);

  private static final Pattern SERVER_READY = Pattern.compile("(?m)^ready \\d+$");
  private static final Pattern POSTGRES_READY =
      Pattern.compile("database system is ready to accept connections");
  private static final Duration READY_WITHIN = Duration.ofSeconds(120);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(20);
  // Writing an AOT cache is part of the program's end.
  private static final Duration STOP_WITHIN_TRAINING = Duration.ofSeconds(120);

  ProcessSpec of(Component component) throws IOException {
    String name = component.label();
    return spec(component, name, environment(component, folders.of(name)), readiness(component));
  }

  /** The same service once more, on a port and data of its own. */
  ProcessSpec replica(Component service, int port, Map<String, String> more) throws IOException {
    String name = service.label() + "-" + port;
    Map<String, String> environment = environment(service, folders.of(name));
    environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
    environment.putAll(more);
    return spec(service, name, environment, ready(Access.url(port)));
  }

  private ProcessSpec spec(
      Component component, String name, Map<String, String> environment, Readiness readiness)
      throws IOException {
    Path folder = folders.of(name);
    return new ProcessSpec(
        name,
        command(component, name, folder),
        environment,
        folder,
        folders.log(name),
        readiness,
        READY_WITHIN,
        component == Component.POSTGRES ? StopSignal.INT : StopSignal.TERM,
        aot == AotMode.TRAIN ? STOP_WITHIN_TRAINING : STOP_WITHIN);
  }

  /** How a runner is started; makes the folder of its temporary files, which all runners share. */
  JvmCommand runner(AotMode mode) throws IOException {
    Path temp = Folders.ownersOnly(folders.temp(RUNNER));
    return new JvmCommand(
        layout.packaged(RUNNER), Heap.RUNNER, Jit.FULL_SOON, caches(), mode, libraries(), temp);
  }

  /** How a component is started as a Java program; nothing for Postgres, which is none. */
  Optional<JvmCommand> jvm(Component component) throws IOException {
    return jvm(component, component.label());
  }

  private Optional<JvmCommand> jvm(Component component, String name) throws IOException {
    Path temp = folders.temp(name);
    return switch (component) {
      case KAFKA -> Optional.of(java(layout.kafka(), KAFKA_HEAP, Jit.FULL, temp));
      case POSTGRES -> Optional.empty();
      // It hashes what it is given, ten times as fast with the optimizing compiler.
      case S3 -> Optional.of(java(layout.s3(), S3_HEAP, Jit.FULL, temp));
      // It hashes all that was stored, too, and others wait for its start.
      case STORE ->
          Optional.of(java(layout.packaged(component.label()), STORE_HEAP, Jit.FULL_SOON, temp));
      case ORCHESTRATOR ->
          Optional.of(java(layout.packaged(component.label()), ORCHESTRATOR_HEAP, Jit.QUICK, temp));
    };
  }

  private ProcessSpec.Command command(Component component, String name, Path folder) {
    return () -> {
      Optional<JvmCommand> jvm = jvm(component, name);
      if (jvm.isEmpty()) {
        return new PostgresServer(PostgresBinaries.unpack(folders.cache()), folder)
            .prepare(access.postgres().port(), access.postgres().password());
      }
      // What a killed process has left; nobody else uses it.
      Trees.delete(jvm.get().temp());
      Folders.ownersOnly(jvm.get().temp());
      return jvm.get().line(arguments(component, folder));
    };
  }

  private List<String> arguments(Component component, Path folder) {
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

  private Readiness readiness(Component component) {
    return switch (component) {
      case KAFKA, S3 -> new Readiness.LogLine(SERVER_READY);
      case POSTGRES -> new Readiness.LogLine(POSTGRES_READY);
      case STORE -> ready(access.storeUrl());
      case ORCHESTRATOR -> ready(access.orchestratorUrl());
    };
  }

  private static Readiness ready(String service) {
    return new Readiness.Http(URI.create(service + "/q/health/ready"));
  }

  private Map<String, String> environment(Component component, Path folder) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put(Stack.MARK, folders.data().toString());
    // Two of glibc's memory pools instead of eight per core: they are most of what an idle JVM
    // holds outside its heap.
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
        // Never recorded where it carries runs: runners end in many ways, and all at once.
        AotMode mode = aot == AotMode.TRAIN ? AotMode.OFF : aot;
        environment.put(
            "BATON_LAUNCHER_PROCESS_COMMAND", String.join("\n", runner(mode).line(List.of())));
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
    environment.put("BATON_DATA", folder.toString());
    environment.put("BATON_HEARTBEAT_INTERVAL", "1s");
    environment.put("BATON_HEARTBEAT_TIMEOUT", "3s");
    environment.put("BATON_LEASE_REQUIRED", "false");
  }

  private JvmCommand java(JvmProgram program, Heap heap, Jit jit, Path temp) {
    return new JvmCommand(program, heap, jit, caches(), aot, libraries(), temp);
  }

  private NativeLibraries libraries() {
    return new NativeLibraries(folders.nativeLibraries());
  }

  private AotCaches caches() {
    return new AotCaches(folders.aot());
  }
}
