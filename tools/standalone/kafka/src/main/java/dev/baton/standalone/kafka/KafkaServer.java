/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * Runs one broker with its controller, on 127.0.0.1 only.
 *
 * <p>Formats its folder on the first start and uses the existing data afterwards, also after a
 * SIGKILL. Prints {@code ready PORT} on standard output once it accepts requests; all other output
 * goes to standard error. SIGTERM stops it cleanly.
 */
public final class KafkaServer {

  private KafkaServer() {}

  /** Exits with 64 when an argument is wrong, with 1 when the broker cannot start. */
  public static void main(String... args) {
    KafkaServerOptions options;
    try {
      options = KafkaServerOptions.parse(System.getenv(), args);
    } catch (IllegalArgumentException e) {
      System.err.println("kafka: " + e.getMessage());
      System.exit(64);
      return;
    }
    try {
      run(options);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(KafkaServerOptions options) throws Exception {
    Properties settings = BrokerSettings.of(options);
    Files.createDirectories(options.data());
    if (!Files.exists(options.data().resolve("meta.properties"))) {
      format(options.data(), settings);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
    server.startup();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "kafka-shutdown"));
    System.out.println("ready " + options.port());
    server.awaitShutdown();
  }

  private static void format(Path data, Properties settings) throws IOException {
    Path config = data.resolve("server.properties");
    // Written to a stream, which escapes non-ASCII characters: the tool reads the file as Latin-1.
    try (OutputStream out = Files.newOutputStream(config)) {
      settings.store(
          out, "Used to format this folder; the server takes its settings from its arguments.");
    }
    String[] arguments = {
      "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", config.toString()
    };
    int result =
        StorageTool.execute(arguments, new PrintStream(System.err, true, System.err.charset()));
    if (result != 0) {
      throw new IOException("formatting " + data + " failed with code " + result);
    }
  }
}
