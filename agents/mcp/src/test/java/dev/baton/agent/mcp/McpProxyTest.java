/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.McpAccess;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.protocol.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent sees of the proxy, on the wire. */
class McpProxyTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init")
  private McpServerPool pool;

  @SuppressWarnings("NullAway.Init")
  private McpAccess.Http access;

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeEach
  void start() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    pool = rig.start(rig.program("count", McpTestServerMain.command("checkpoint")));
    access = McpRig.access(pool, "count");
  }

  @AfterEach
  void stop() {
    pool.close();
  }

  private HttpResponse<String> post(String body, String accept) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(access.url())
            .setHeader("Accept", accept)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    access.headers().forEach(request::setHeader);
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static final String BOTH = "application/json, text/event-stream";

  @Test
  void shouldAnswerTheHandshakeFromThatOfTheServer() throws Exception {
    HttpResponse<String> response =
        post("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":{}}", BOTH);

    JsonNode message = Json.mapper().readTree(response.body());
    assertThat(message.path("id").asText()).isEqualTo("a");
    assertThat(message.path("result").path("serverInfo").path("name").asText()).isEqualTo("test");
    assertThat(message.path("result").path("capabilities").toString())
        .isEqualTo("{\"tools\":{},\"resources\":{}}");
    assertThat(response.headers().firstValue("mcp-session-id")).isPresent();
    assertThat(
            post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", BOTH)
                .statusCode())
        .isEqualTo(202);
  }

  @Test
  void shouldStreamACallWithItsProgress() throws Exception {
    String call =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\","
            + "\"arguments\":{\"n\":0},\"_meta\":{\"progressToken\":\"mine\"}}}";

    HttpResponse<String> stream = post(call, BOTH);
    HttpResponse<String> plain = post(call, "application/json");

    assertThat(stream.headers().firstValue("content-type")).hasValue("text/event-stream");
    List<String> events = stream.body().lines().filter(line -> line.startsWith("data: ")).toList();
    assertThat(events).hasSize(2);
    assertThat(events.getFirst()).contains("notifications/progress", "\"progressToken\":\"mine\"");
    assertThat(events.getLast()).contains("\"id\":7", "waited");
    assertThat(Json.mapper().readTree(plain.body()).path("id").asInt()).isEqualTo(7);
  }

  @Test
  void shouldRefuseWhatIsNotForIt() throws Exception {
    assertThat(post("[]", BOTH).statusCode()).isEqualTo(400);
    assertThat(post("{", BOTH).statusCode()).isEqualTo(400);
    assertThat(post("x".repeat(McpLimits.MESSAGE_BYTES + 1), BOTH).statusCode()).isEqualTo(413);
    URI other = URI.create(access.url().toString().replace("count", "none"));
    assertThat(status(HttpRequest.newBuilder(access.url()).GET())).isEqualTo(401);
    HttpRequest.Builder wrong = HttpRequest.newBuilder(other).GET();
    access.headers().forEach(wrong::setHeader);
    assertThat(status(wrong)).isEqualTo(404);
    HttpRequest.Builder get = HttpRequest.newBuilder(access.url()).GET();
    access.headers().forEach(get::setHeader);
    assertThat(status(get)).isEqualTo(405);
  }

  private int status(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }
}
