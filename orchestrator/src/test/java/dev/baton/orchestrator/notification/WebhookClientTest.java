/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.junit.jupiter.api.Test;

class WebhookClientTest {
  @Test
  void shouldShowNoSecretsOfItsUrl() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(500, -1);
          exchange.close();
        });
    server.start();
    String host = "127.0.0.1:" + server.getAddress().getPort();
    URI url = URI.create("http://user:s3cret@" + host + "/hooks/s3cret?token=s3cret");
    try (WebhookClient client = new WebhookClient(url, new byte[32])) {
      assertThat(client.post("id", "{}"))
          .isEqualTo(new WebhookClient.Outcome.Failed("http://" + host + " answered 500"));
      server.stop(0);
      assertThat(client.post("id", "{}").toString()).contains(host).doesNotContain("s3cret");
    }
  }
}
