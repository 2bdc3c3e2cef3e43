/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs Kafka, Postgres and S3 as processes, once for the module. Restarts a server that a test
 * kills. With {@code -Dbaton.test.servers=given} it starts none: system properties have the
 * addresses.
 */
public final class StoreServersTestResource implements QuarkusTestResourceLifecycleManager {
  private @Nullable StandaloneStack stack;
  private @Nullable Path folder;

  @Override
  public Map<String, String> start() {
    if (System.getProperty("baton.test.servers", "").equals("given")) {
      return Map.of();
    }
    try {
      Path data = Files.createTempDirectory("baton-store-test");
      folder = data;
      StandaloneStack started =
          StandaloneStack.builder()
              .data(data)
              .components(StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3)
              .autoRestart(true)
              .start();
      stack = started;
      for (StackComponent component :
          new StackComponent[] {StackComponent.KAFKA, StackComponent.POSTGRES}) {
        // The tests run in another class loader, so the addresses are system properties.
        System.setProperty(
            "test.pid." + component.label(),
            Long.toString(started.process(component).orElseThrow().pid()));
      }
      return Map.ofEntries(
          Map.entry("kafka.bootstrap.servers", started.kafkaBootstrap()),
          Map.entry("baton.db.host", started.postgres().host()),
          Map.entry("baton.db.port", Integer.toString(started.postgres().port())),
          Map.entry("baton.db.name", started.postgres().database()),
          Map.entry("baton.db.user", started.postgres().user()),
          Map.entry("baton.db.password", started.postgres().password()),
          Map.entry("baton.object-store.endpoint", started.s3().endpoint()),
          Map.entry("baton.object-store.bucket", started.s3().bucket()),
          Map.entry("baton.object-store.access-key", started.s3().accessKey()),
          Map.entry("baton.object-store.secret-key", started.s3().secretKey()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Kills a server with SIGKILL; the supervisor restarts it. Once per server and test run. */
  public static void kill(String label) {
    String pid = Objects.requireNonNull(System.clearProperty("test.pid." + label), label);
    ProcessHandle process = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    process.destroyForcibly();
    process
        .onExit()
        .orTimeout(Duration.ofSeconds(20).toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
        .join();
  }

  @Override
  public void stop() {
    try {
      if (stack != null) {
        stack.close();
      }
      if (folder != null) {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
