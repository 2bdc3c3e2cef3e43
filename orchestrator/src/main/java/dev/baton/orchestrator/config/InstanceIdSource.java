/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.protocol.file.PrivateFolderCreator;
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
 * Provides a default for {@code baton.instance-id} that survives restarts. Kafka lets a static
 * member with the same id take over the partitions of its dead predecessor at once; without an id,
 * they stay unassigned until the session expires. Stored in the data folder; when none is
 * configured, every start gets a new id.
 */
public final class InstanceIdSource implements ConfigSourceProvider {
  private static final String KEY = "baton.instance-id";
  private static final String FILE = "instance-id";

  // Below the environment (300) and application.properties (250): both override it.
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
        PrivateFolderCreator.create(data);
        // Written to a temporary file and moved, so that a crash cannot leave a partial file.
        Path fresh = Files.createTempFile(data, FILE, ".new");
        Files.writeString(fresh, UUID.randomUUID() + "\n");
        Files.move(
            fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(KEY + ": cannot be stored in " + file, e);
    }
  }
}
