/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InputSchemaTest {
  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  @Test
  void shouldNameWhatIsWrong() throws IOException {
    InputSchema schema =
        new InputSchema(
            json(
                "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"b\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}"));

    assertThat(schema.validate(json("{\"b\":[1,\"x\"]}")))
        .extracting(v -> v.pointer() + ": " + v.message())
        .containsExactlyInAnyOrder(
            ": required property 'a' not found", "/b/1: string found, integer expected");
    assertThat(schema.validate(json("{\"a\":1,\"b\":[]}"))).isEmpty();
    assertThat(InputSchema.ANY.validate(json("[1]"))).isEmpty();
  }

  @Test
  void shouldNeverFetch() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/s.json";
      assertThat(new InputSchema(json("{\"$ref\":\"" + url + "\"}")).check()).isNotEmpty();
      assertThat(new InputSchema(json("{\"$schema\":\"" + url + "\"}")).check()).isNotEmpty();
      assertThat(new InputSchema(json("{\"$ref\":\"file:///etc/hostname\"}")).check()).isNotEmpty();
      assertThat(asked).hasValue(0);
    } finally {
      server.stop(0);
    }
  }
}
