/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

import dev.baton.protocol.net.AttachTokenFormat;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The token with which the runner attaches. Its text form does not contain the value.
 *
 * @param value see {@link AttachTokenFormat#isValid}
 */
public record AttachToken(String value) {
  /**
   * Reads the token from a value or from the first line of a file.
   *
   * @param key of the value, which takes precedence
   * @param fileKey of the file
   * @return empty when neither is set
   * @throws ConfigException that names the key and what is allowed, without the token
   */
  static Optional<AttachToken> read(
      String key, String fileKey, Function<String, Optional<String>> values) {
    Optional<String> value = values.apply(key).map(String::strip).filter(it -> !it.isEmpty());
    Optional<String> file = values.apply(fileKey).map(String::strip).filter(it -> !it.isEmpty());
    if (value.isPresent()) {
      return Optional.of(checked(key, value.get()));
    }
    return file.map(name -> ofFile(fileKey, name));
  }

  private static AttachToken ofFile(String key, String file) {
    try {
      List<String> tokens = BearerCredential.lines(Files.readString(Path.of(file)));
      if (tokens.isEmpty()) {
        throw new ConfigException(key, file, "a file with an attach token");
      }
      return checked(key, tokens.getFirst());
    } catch (IOException e) {
      throw new ConfigException(key, file, "a file that can be read (" + e + ")");
    }
  }

  private static AttachToken checked(String key, String token) {
    if (!AttachTokenFormat.isValid(token)) {
      throw new ConfigException(key, "(hidden)", AttachTokenFormat.ALLOWED);
    }
    return new AttachToken(token);
  }

  @Override
  public String toString() {
    return "AttachToken[hidden]";
  }
}
