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
 * {@code stack.json} in a data folder. Readable by its owner only, for it holds secrets; replaced
 * as a whole, so a reader never sees half of it. One writer at a time: whoever holds the folder's
 * {@link DataLock}.
 */
public final class StackFile {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          // Questions such as isAlive are not part of what is written.
          .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private final Path path;

  /** The file of this data folder, which need not exist. */
  public StackFile(Path data) {
    this.path = data.resolve("stack.json");
  }

  /**
   * What was last written, or nothing when there is no file.
   *
   * @throws Unreadable when there is one that is no stack's; the message names it
   */
  public Optional<StackState> read() throws IOException {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      StackState state = JSON.readValue(Files.readString(path), StackState.class);
      if (state == null || state.version() != StackState.VERSION) {
        throw new Unreadable(
            path + " has another version than " + StackState.VERSION + "; another Baton wrote it");
      }
      return Optional.of(state);
    } catch (JsonProcessingException e) {
      throw new Unreadable(path + " cannot be read: " + e.getOriginalMessage());
    }
  }

  /**
   * Puts a file that cannot be read aside, under a name that is returned; the secrets in it may
   * still be wanted.
   */
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

  /** The file is not what a stack of this version writes. */
  public static final class Unreadable extends IOException {

    @Serial private static final long serialVersionUID = 1;

    Unreadable(String message) {
      super(message);
    }
  }
}
