/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The folder with all data of one local stack, and the content of its {@code stack.json}. */
public record DataFolder(Path path) {

  /** Resolves the folder: {@code --data}, else {@code $BATON_DATA}, else {@code ~/.baton}. */
  public static DataFolder resolve(@Nullable Path option, Map<String, String> environment) {
    if (option != null) {
      return new DataFolder(option.toAbsolutePath().normalize());
    }
    String variable = environment.getOrDefault("BATON_DATA", "");
    if (!variable.isBlank()) {
      return new DataFolder(Path.of(variable).toAbsolutePath().normalize());
    }
    String home = environment.getOrDefault("HOME", "");
    if (home.isBlank()) {
      throw CliException.usage("HOME is not set: give the data folder with --data DIR");
    }
    return new DataFolder(Path.of(home).resolve(".baton").toAbsolutePath().normalize());
  }

  public Path stackFile() {
    return path.resolve("stack.json");
  }

  /** The file with the API key of the local stack, which {@code baton up} creates. */
  public Path localKeyFile() {
    return path.resolve("local.key");
  }

  /** A file with a certificate or key of the local stack, if it has TLS. */
  public Path tlsFile(String name) {
    return path.resolve("tls").resolve(name);
  }

  /** Whether a stack was ever started here, in any state now. */
  boolean isUsed() {
    return Files.exists(stackFile()) || Files.exists(path.resolve("stack.lock"));
  }

  public Path logs() {
    return path.resolve("logs");
  }

  /**
   * Returns the stack that was last started here. Empty if there was none, or its file is corrupt:
   * the next start then moves the file aside.
   *
   * @throws CliException when the file may not be read
   */
  public Optional<StackInfo> stack() {
    try {
      JsonNode node = Json.mapper().readTree(Files.readAllBytes(stackFile()));
      return node == null || !node.isObject() ? Optional.empty() : Optional.of(new StackInfo(node));
    } catch (NoSuchFileException | JacksonException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw CliException.usage(
          "%s cannot be read (%s): it may belong to another user; give your own folder with --data DIR"
              .formatted(stackFile(), e.getMessage()));
    }
  }
}
