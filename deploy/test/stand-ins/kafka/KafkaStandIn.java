/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** A broker that is configured as the image apache/kafka: {@code KAFKA_A_B} sets {@code a.b}. */
final class KafkaStandIn {
  private KafkaStandIn() {}

  public static void main(String[] args) throws IOException {
    Properties settings = new Properties();
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.startsWith("KAFKA_") && !name.equals("KAFKA_HEAP_OPTS")) {
                settings.setProperty(
                    name.substring("KAFKA_".length()).toLowerCase(Locale.ROOT).replace('_', '.'),
                    value);
              }
            });
    Path data = Path.of(settings.getProperty("log.dirs", "/var/lib/kafka/data"));
    if (!Files.exists(data.resolve("meta.properties"))) {
      format(settings);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
    server.startup();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "shutdown"));
    server.awaitShutdown();
  }

  private static void format(Properties settings) throws IOException {
    Path config = Files.createTempFile("server", ".properties");
    try (OutputStream out = Files.newOutputStream(config)) {
      settings.store(out, null);
    }
    String cluster = System.getenv().getOrDefault("CLUSTER_ID", Uuid.randomUuid().toString());
    String[] arguments = {"format", "--cluster-id", cluster, "--config", config.toString()};
    if (StorageTool.execute(arguments, new PrintStream(System.err, true)) != 0) {
      throw new IOException("formatting failed");
    }
  }
}
