/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.s3mock;

import com.adobe.testing.s3mock.S3MockApplication;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Runs S3Mock on a folder, on 127.0.0.1 only. It verifies the checksums of requests, but no
 * signatures: any keys are accepted.
 *
 * <p>Prints {@code ready PORT} on standard output once it accepts requests; with port 0 it selects
 * a free one. SIGTERM stops it.
 */
public final class S3MockServer {
  private static final String USAGE = "usage: S3MockServer --port PORT --data DIR";

  private S3MockServer() {}

  /** Exits with 64 when an argument is wrong, with 1 when the server cannot start. */
  public static void main(String... args) {
    if (args.length != 4
        || !args[0].equals("--port")
        || !args[1].matches("[0-9]{1,5}")
        || !args[2].equals("--data")) {
      System.err.println(USAGE + ", not: " + String.join(" ", args));
      System.exit(64);
    }
    var running =
        new SpringApplicationBuilder(S3MockApplication.class, LoopbackOnly.class)
            .bannerMode(Banner.Mode.OFF)
            .properties(settings(args[1], Path.of(args[3])))
            .run();
    System.out.println("ready " + running.getEnvironment().getProperty("local.server.port"));
  }

  private static Map<String, Object> settings(String port, Path data) {
    return Map.of(
        "server.address",
        "127.0.0.1",
        "server.port",
        port,
        "com.adobe.testing.s3mock.httpPort",
        "0",
        "com.adobe.testing.s3mock.store.root",
        data.toAbsolutePath().toString(),
        "com.adobe.testing.s3mock.store.retainFilesOnExit",
        "true",
        "logging.level.root",
        "WARN");
  }

  /**
   * S3Mock opens a second port on all addresses, which cannot be configured; this restricts it to
   * the loopback address.
   */
  @Configuration
  static class LoopbackOnly {
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> oneConnector() {
      return factory -> factory.getAdditionalTomcatConnectors().clear();
    }
  }
}
