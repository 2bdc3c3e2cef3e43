/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Objects;
import java.util.Properties;

/** Settings of the broker: those of {@code broker.properties}, and the addresses and folder. */
final class BrokerSettings {
  private static final String FILE = "broker.properties";

  private BrokerSettings() {}

  static Properties of(KafkaServerOptions options) throws IOException {
    Properties settings = new Properties();
    try (InputStream in =
        Objects.requireNonNull(BrokerSettings.class.getResourceAsStream(FILE), FILE)) {
      settings.load(in);
    }
    String clients = "PLAINTEXT://127.0.0.1:" + options.port();
    String controller = "127.0.0.1:" + options.controllerPort();
    String forwarded = ",FORWARDED://127.0.0.1:";
    String forwardedListener = options.forwarded().map(it -> forwarded + it.port()).orElse("");
    String forwardedAddress = options.forwarded().map(it -> forwarded + it.advertised()).orElse("");
    settings.setProperty("controller.quorum.voters", "1@" + controller);
    settings.setProperty("listeners", clients + forwardedListener + ",CONTROLLER://" + controller);
    settings.setProperty("advertised.listeners", clients + forwardedAddress);
    settings.setProperty("log.dirs", options.data().toString());
    if (options.properties().isPresent()) {
      try (InputStream in = Files.newInputStream(options.properties().get())) {
        settings.load(in);
      }
    }
    return settings;
  }
}
