/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Reads and writes {@code stack.json} in a data folder. Readable by its owner only, since it has
 * secrets; replaced atomically, so a reader never sees a partial file. One writer at a time: the
 * holder of the folder's {@link DataLock}.
 */
public final class StackFile {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          // Methods such as isAlive are not serialized.
          .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private final Path path;

  /** The file of this data folder, which may not exist. */
  public StackFile(Path data) {
    this.path = data.resolve("stack.json");
  }

  /**
   * Returns the last state written; empty when the file does not exist.
   *
   * @throws Unreadable when the file is not one of a stack; the message names it
   */
  public Optional<StackState> read() throws IOException {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      StackState state = JSON.readValue(Files.readString(path), StackState.class);
      if (state == null || state.version() != StackState.VERSION) {
        throw new Unreadable(
            path
                + " has a version other than "
                + StackState.VERSION
                + "; it was written by another version of Baton");
      }
      return Optional.of(state);
    } catch (JsonProcessingException e) {
      throw new Unreadable(path + " cannot be read: " + e.getOriginalMessage());
    }
  }

  /** Renames an unreadable file and returns the new name; its secrets may still be needed. */
  public Path putAside() throws IOException {
    Path aside = path.resolveSibling("stack.json.unreadable");
    return Files.move(path, aside, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Replaces the file. */
  public void write(StackState state) throws IOException {
    Path fresh = path.resolveSibling("stack.json.writing");
    Files.deleteIfExists(fresh);
    Files.createFile(
        fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(fresh, JSON.writeValueAsString(state) + "\n");
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The file was not written by a stack of this version. */
  public static final class Unreadable extends IOException {

    @Serial private static final long serialVersionUID = 1;

    Unreadable(String message) {
      super(message);
    }
  }
}
