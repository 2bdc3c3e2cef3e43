/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.tls.PemFile;
import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.PropertiesConfigSource;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Maps {@code baton.db.ssl-*} to the settings of the reactive pool, and of the JDBC connections of
 * Flyway.
 */
public final class DatabaseTlsSource implements ConfigSourceFactory {
  static final String MODE = "baton.db.ssl-mode";
  static final String ROOT = "baton.db.ssl-root-certificate";
  static final String CERTIFICATE = "baton.db.ssl-certificate";
  static final String KEY = "baton.db.ssl-key";

  private static final String ALLOWED = "disable, require, verify-ca, verify-full";

  // Above the environment (300) and system properties (400).
  private static final int ORDINAL = 450;

  private static final String REACTIVE = "quarkus.datasource.reactive.";
  private static final String JDBC = "quarkus.datasource.jdbc.additional-jdbc-properties.";

  @Override
  public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
    EarlySettingReader settings = new EarlySettingReader(context);
    Map<String, String> values = values(key -> settings.read(key).filter(text -> !text.isBlank()));
    return values.isEmpty()
        ? List.of()
        : List.of(new PropertiesConfigSource(values, "baton-database-tls", ORDINAL));
  }

  /**
   * Returns the settings of both clients; none without a mode.
   *
   * @throws IllegalArgumentException that names the key and what is allowed
   */
  static Map<String, String> values(Function<String, Optional<String>> keys) {
    Optional<String> mode = keys.apply(MODE);
    Optional<String> root = keys.apply(ROOT);
    Optional<String> certificate = keys.apply(CERTIFICATE);
    Optional<String> key = keys.apply(KEY);
    check(mode, root, certificate, key);
    if (mode.isEmpty()) {
      return Map.of();
    }
    String word = mode.get();
    Map<String, String> values = new HashMap<>();
    values.put(REACTIVE + "postgresql.ssl-mode", word);
    values.put(JDBC + "sslmode", word);
    if (word.equals("require")) {
      values.put(REACTIVE + "trust-all", "true");
    }
    root.ifPresent(
        file -> {
          values.put(REACTIVE + "trust-certificate-pem", "true");
          values.put(REACTIVE + "trust-certificate-pem.certs", file);
          values.put(JDBC + "sslrootcert", file);
        });
    certificate.ifPresent(
        file -> {
          values.put(REACTIVE + "key-certificate-pem", "true");
          values.put(REACTIVE + "key-certificate-pem.certs", file);
          values.put(JDBC + "sslcert", file);
        });
    key.ifPresent(
        file -> {
          values.put(REACTIVE + "key-certificate-pem.keys", file);
          values.put(JDBC + "sslkey", file);
          values.put(JDBC + "pemKeyAlgorithm", algorithm(file));
        });
    if (word.equals("verify-full")) {
      values.put(REACTIVE + "hostname-verification-algorithm", "HTTPS");
    }
    return values;
  }

  private static void check(
      Optional<String> mode,
      Optional<String> root,
      Optional<String> certificate,
      Optional<String> key) {
    if (mode.isEmpty()) {
      if (root.isPresent() || certificate.isPresent() || key.isPresent()) {
        throw new IllegalArgumentException(MODE + " is missing; allowed: " + ALLOWED);
      }
      return;
    }
    String word = mode.get();
    boolean verified = word.equals("verify-ca") || word.equals("verify-full");
    if (!verified && !word.equals("disable") && !word.equals("require")) {
      throw new IllegalArgumentException(
          MODE + "=" + word + " is not allowed; allowed: " + ALLOWED);
    }
    if (verified != root.isPresent()) {
      throw new IllegalArgumentException(
          verified
              ? MODE + "=" + word + " needs " + ROOT
              : ROOT + " needs " + MODE + "=verify-ca or verify-full");
    }
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          CERTIFICATE + " and " + KEY + " belong together: one of them is missing");
    }
    root.ifPresent(file -> read(ROOT, file, PemFile::certificates));
    certificate.ifPresent(file -> read(CERTIFICATE, file, PemFile::certificates));
    key.ifPresent(file -> read(KEY, file, PemFile::privateKey));
  }

  /** The name by which pgjdbc creates a key. */
  private static String algorithm(String file) {
    return read(KEY, file, PemFile::privateKey).getAlgorithm();
  }

  private static <T> T read(String key, String file, PemReader<T> reader) {
    try {
      return reader.read(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(key + ": " + e.getMessage(), e);
    }
  }

  @FunctionalInterface
  private interface PemReader<T> {
    T read(Path file) throws IOException;
  }

  @Override
  public OptionalInt getPriority() {
    return OptionalInt.of(ORDINAL);
  }
}
