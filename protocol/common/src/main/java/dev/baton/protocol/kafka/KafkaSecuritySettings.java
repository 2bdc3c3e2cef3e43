/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The settings with which every Kafka client of Baton authenticates and encrypts: {@code
 * baton.kafka.*} has Kafka's own names, user and password of SASL, and files in place of secrets.
 *
 * @param properties by Kafka's names; empty for brokers without authentication and encryption
 */
public record KafkaSecuritySettings(Map<String, String> properties) {
  /** The prefix of all keys. */
  public static final String PREFIX = "baton.kafka.";

  /** A properties file as Kafka's tools take it; other keys take precedence over its content. */
  public static final String CLIENT_FILE = PREFIX + "client-file";

  private static final String PROTOCOL = "security.protocol";
  private static final String MECHANISM = "sasl.mechanism";
  private static final String JAAS = "sasl.jaas.config";
  private static final String USERNAME = "sasl.username";
  private static final String PASSWORD = "sasl.password";

  /** Ends the key of a file that has the value. */
  private static final String FILE = "-file";

  private static final List<String> PLAIN =
      List.of(
          PROTOCOL,
          MECHANISM,
          USERNAME,
          "ssl.truststore.location",
          "ssl.truststore.type",
          "ssl.keystore.location",
          "ssl.keystore.type",
          "ssl.endpoint.identification.algorithm");

  private static final List<String> SECRET =
      List.of(
          JAAS, PASSWORD, "ssl.truststore.password", "ssl.keystore.password", "ssl.key.password");

  private static final List<String> PREFIXES = List.of("security.", "sasl.", "ssl.");

  /** All keys, with their prefix. */
  public static final List<String> KEYS = keys();

  public KafkaSecuritySettings {
    properties = Map.copyOf(properties);
  }

  private static List<String> keys() {
    List<String> keys = new ArrayList<>();
    keys.add(CLIENT_FILE);
    PLAIN.forEach(name -> keys.add(PREFIX + name));
    SECRET.forEach(
        name -> {
          keys.add(PREFIX + name);
          keys.add(PREFIX + name + FILE);
        });
    return List.copyOf(keys);
  }

  /**
   * Reads all keys and the files that they name.
   *
   * @param values returns the value of a key, if it is set
   * @throws IllegalArgumentException that names the key and what is allowed, without any secret
   */
  public static KafkaSecuritySettings read(Function<String, Optional<String>> values) {
    Function<String, Optional<String>> set =
        name -> values.apply(PREFIX + name).map(String::strip).filter(text -> !text.isEmpty());
    Map<String, String> properties = new HashMap<>();
    set.apply("client-file").ifPresent(file -> properties.putAll(clientFile(file)));
    for (String name : PLAIN) {
      set.apply(name).ifPresent(value -> properties.put(name, value));
    }
    for (String name : SECRET) {
      set.apply(name + FILE).ifPresent(file -> properties.put(name, secret(name + FILE, file)));
      set.apply(name).ifPresent(value -> properties.put(name, value));
    }
    Optional<String> user = Optional.ofNullable(properties.remove(USERNAME));
    Optional<String> password = Optional.ofNullable(properties.remove(PASSWORD));
    if (user.isPresent() != password.isPresent()) {
      throw new IllegalArgumentException(
          PREFIX
              + USERNAME
              + " and "
              + PREFIX
              + PASSWORD
              + " (or "
              + PASSWORD
              + FILE
              + ") belong together: one of them is missing");
    }
    if (user.isPresent()) {
      properties.put(
          JAAS, login(properties.getOrDefault(MECHANISM, ""), user.get(), password.orElseThrow()));
    }
    check(properties);
    return new KafkaSecuritySettings(properties);
  }

  /** Returns the keys that are set, as environment variables of a process that reads the same. */
  public static Map<String, String> environment(Function<String, Optional<String>> values) {
    Map<String, String> environment = new TreeMap<>();
    for (String key : KEYS) {
      values
          .apply(key)
          .filter(value -> !value.isBlank())
          .ifPresent(value -> environment.put(variable(key), value));
    }
    return environment;
  }

  /** Returns the environment variable of a key. */
  public static String variable(String key) {
    return key.replaceAll("[^a-z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  /** Returns the settings of a client of these brokers. */
  public Map<String, Object> client(String bootstrapServers) {
    Map<String, Object> client = new HashMap<>(properties);
    client.put("bootstrap.servers", bootstrapServers);
    return client;
  }

  private static void check(Map<String, String> properties) {
    String protocol = properties.get(PROTOCOL);
    if (protocol == null && !properties.isEmpty()) {
      throw new IllegalArgumentException(
          PREFIX + PROTOCOL + " is missing; allowed: SSL, SASL_SSL, SASL_PLAINTEXT, PLAINTEXT");
    }
    if (protocol != null
        && !List.of("SSL", "SASL_SSL", "SASL_PLAINTEXT", "PLAINTEXT").contains(protocol)) {
      throw new IllegalArgumentException(
          PREFIX
              + PROTOCOL
              + "="
              + protocol
              + " is not allowed; allowed: SSL, SASL_SSL, SASL_PLAINTEXT, PLAINTEXT");
    }
    if (protocol != null && protocol.startsWith("SASL") && !properties.containsKey(JAAS)) {
      throw new IllegalArgumentException(
          PREFIX + PROTOCOL + "=" + protocol + " needs " + PREFIX + USERNAME + " and " + PREFIX
              + PASSWORD + FILE + ", or " + PREFIX + JAAS + FILE);
    }
  }

  /** Returns the JAAS configuration of a user; quotes and backslashes are escaped. */
  private static String login(String mechanism, String user, String password) {
    String module =
        switch (mechanism) {
          case "PLAIN" -> "org.apache.kafka.common.security.plain.PlainLoginModule";
          case "SCRAM-SHA-256", "SCRAM-SHA-512" ->
              "org.apache.kafka.common.security.scram.ScramLoginModule";
          default ->
              throw new IllegalArgumentException(
                  PREFIX
                      + MECHANISM
                      + "="
                      + mechanism
                      + " is not allowed with "
                      + PREFIX
                      + USERNAME
                      + "; allowed: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512");
        };
    return module + " required username=" + quoted(user) + " password=" + quoted(password) + ";";
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static Map<String, String> clientFile(String file) {
    Properties content = new Properties();
    try (Reader in = Files.newBufferedReader(Path.of(file))) {
      content.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          CLIENT_FILE + "=" + file + " cannot be read: " + e.getClass().getSimpleName(), e);
    }
    Map<String, String> settings = new HashMap<>();
    for (String name : content.stringPropertyNames()) {
      if (PREFIXES.stream().anyMatch(name::startsWith)) {
        settings.put(name, content.getProperty(name).strip());
      }
    }
    return settings;
  }

  private static String secret(String name, String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(PREFIX + name + "=" + file + " cannot be read: " + e, e);
    }
  }

  /** Without values: they contain secrets. */
  @Override
  public String toString() {
    return "KafkaSecuritySettings" + properties.keySet();
  }
}
