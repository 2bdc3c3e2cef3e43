/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.smallrye.config.PropertiesConfigSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.config.spi.ConfigSourceProvider;

/**
 * Reads secret settings from files, as container platforms provide them: the variable of a key with
 * {@code _FILE} at its end has the path of a file with the value. Takes precedence over all other
 * sources. A trailing line break is not part of the value.
 */
public final class SecretFileSource implements ConfigSourceProvider {
  private static final List<String> KEYS =
      List.of(
          "baton.db.password",
          "baton.object-store.access-key",
          "baton.object-store.secret-key",
          "baton.notifications.webhook.secret");

  // Above the environment (300) and system properties (400).
  private static final int ORDINAL = 450;

  @Override
  public Iterable<ConfigSource> getConfigSources(ClassLoader forClassLoader) {
    Map<String, String> values = values(System.getenv());
    return values.isEmpty()
        ? List.of()
        : List.of(new PropertiesConfigSource(values, "baton-secret-files", ORDINAL));
  }

  /**
   * Returns the values of the keys for which a file is named.
   *
   * @throws UncheckedIOException that names the variable and the file, when it cannot be read
   */
  static Map<String, String> values(Map<String, String> environment) {
    Map<String, String> values = new HashMap<>();
    for (String key : KEYS) {
      String variable = variable(key);
      String file = environment.getOrDefault(variable, "");
      if (!file.isBlank()) {
        try {
          values.put(key, Files.readString(Path.of(file)).stripTrailing());
        } catch (IOException e) {
          throw new UncheckedIOException(variable + "=" + file + ": cannot be read", e);
        }
      }
    }
    return values;
  }

  private static String variable(String key) {
    return key.replaceAll("[^a-z0-9]", "_").toUpperCase(Locale.ROOT) + "_FILE";
  }
}
