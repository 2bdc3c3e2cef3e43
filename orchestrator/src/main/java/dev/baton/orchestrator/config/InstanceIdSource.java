/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import io.smallrye.config.PropertiesConfigSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.config.spi.ConfigSourceProvider;

/**
 * Gives {@code baton.instance-id} a default that survives restarts: Kafka lets a member with the id
 * of a dead one take over its partitions at once, where a nameless one waits for the session to
 * expire. Kept in the data folder; where no folder is named, every start is a new instance.
 */
public final class InstanceIdSource implements ConfigSourceProvider {
  private static final String KEY = "baton.instance-id";
  private static final String FILE = "instance-id";

  // Below application.properties (250) and the environment (300), which both win.
  private static final int ORDINAL = 50;

  @Override
  public Iterable<ConfigSource> getConfigSources(ClassLoader forClassLoader) {
    String data =
        Objects.requireNonNullElse(
            System.getenv("BATON_DATA"), System.getProperty("baton.data", ""));
    String id = data.isEmpty() ? UUID.randomUUID().toString() : persisted(Path.of(data));
    return List.of(new PropertiesConfigSource(Map.of(KEY, id), "baton-instance-id", ORDINAL));
  }

  private static String persisted(Path data) {
    Path file = data.resolve(FILE);
    try {
      if (!Files.exists(file) || Files.readString(file).isBlank()) {
        Files.createDirectories(data);
        // Whole or not at all, whenever this process is killed.
        Path fresh = Files.createTempFile(data, FILE, ".new");
        Files.writeString(fresh, UUID.randomUUID() + "\n");
        Files.move(
            fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(KEY + ": cannot keep it in " + file, e);
    }
  }
}
