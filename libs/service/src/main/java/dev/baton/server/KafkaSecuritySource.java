/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.kafka.KafkaSecuritySettings;
import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.PropertiesConfigSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Maps {@code baton.kafka.*} to {@code kafka.*}, from which messaging channels, Kafka Streams and
 * the clients of the services take their settings. Takes precedence over {@code kafka.*} itself.
 */
public final class KafkaSecuritySource implements ConfigSourceFactory {
  // Above the environment (300) and system properties (400).
  private static final int ORDINAL = 450;

  private static final String HOST_CHECK = "ssl.endpoint.identification.algorithm";

  @Override
  public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
    Map<String, String> values =
        values(KafkaSecuritySettings.read(new EarlySettingReader(context)::read));
    return values.isEmpty()
        ? List.of()
        : List.of(new PropertiesConfigSource(values, "baton-kafka-security", ORDINAL));
  }

  static Map<String, String> values(KafkaSecuritySettings settings) {
    Map<String, String> values = new HashMap<>();
    settings.properties().forEach((name, value) -> values.put("kafka." + name, escaped(value)));
    String check = settings.properties().get(HOST_CHECK);
    if (check != null) {
      // The extension for Kafka Streams sets a default of its own over that of all clients.
      values.put("quarkus.kafka-streams.ssl.endpoint-identification-algorithm", escaped(check));
    }
    return values;
  }

  /** Escapes what the configuration would read as an expression: a password may contain one. */
  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("$", "\\$");
  }

  @Override
  public OptionalInt getPriority() {
    return OptionalInt.of(ORDINAL);
  }
}
