/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.agents;

import dev.baton.gateway.upstream.KeyResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Resolves keys from the runner's environment ({@code env:NAME}) and from files ({@code
 * file:/path}). A file is read at each request, so that a key can be replaced. Thread-safe.
 */
public final class ReferencedKeyResolver implements KeyResolver {
  private static final String ENV = "env:";
  private static final String FILE = "file:";
  private static final int MAX_BYTES = 64 * 1024;

  private final Map<String, String> environment;

  public ReferencedKeyResolver(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Whether a text is a reference that this class can resolve. */
  public static boolean isReference(String text) {
    return (text.startsWith(ENV) && text.substring(ENV.length()).matches("[A-Za-z_][A-Za-z0-9_]*"))
        || (text.startsWith(FILE) && Path.of(text.substring(FILE.length())).isAbsolute());
  }

  @Override
  public String resolve(String reference) throws IOException {
    String key;
    if (reference.startsWith(ENV)) {
      key = environment.getOrDefault(reference.substring(ENV.length()), "");
    } else if (reference.startsWith(FILE)) {
      Path file = Path.of(reference.substring(FILE.length()));
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(reference + ": the file has more than " + MAX_BYTES + " bytes");
      }
      key = Files.readString(file);
    } else {
      throw new IOException("key reference '" + reference + "' is neither env:NAME nor file:/path");
    }
    if (key.isBlank()) {
      throw new IOException(reference + " is not set or empty");
    }
    return key.strip();
  }
}
