/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks the responses of the checkpoint-store against the document that it serves. */
@ExtendWith(SharedStackExtension.class)
class StoreDocumentTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @Test
  void shouldDescribeWhatTheStoreSends(SharedStackExtension.RunningStack on) throws Exception {
    on.api.push("name: stored\nsteps:\n  - {id: a, shell: echo a}\n");
    String run = on.api.start("stored", AcceptanceApiClient.JSON.createObjectNode());
    on.api.awaitStatus(run, "completed", Duration.ofSeconds(60));
    // The store has the whole trace then.
    on.api.events(run);
    JsonNode document = AcceptanceApiClient.JSON.readTree(get(on, "/openapi?format=json").body());
    ApiContract contract = new ApiContract(document);

    assertThat(document.path("paths").properties()).hasSize(3);
    for (String path :
        new String[] {
          "/runs/" + run + "/events",
          "/runs/" + run + "/snapshot",
          "/runs/" + run + "/checkpoints",
          "/runs/" + run + "/events?limit=0",
          "/runs/01jzzzzzzzzzzzzzzzzzzzzzzz/events",
          "/runs/01jzzzzzzzzzzzzzzzzzzzzzzz/snapshot"
        }) {
      HttpResponse<String> response = get(on, path);
      contract.check(
          "GET",
          path.split("\\?", 2)[0],
          response.statusCode(),
          response.headers().firstValue("Content-Type").orElse(""),
          response.body());
    }
    assertThat(get(on, "/runs/" + run + "/checkpoints").body()).contains("digest");
  }

  private static HttpResponse<String> get(SharedStackExtension.RunningStack on, String path)
      throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(on.stack.storeUrl() + path))
            .header("Authorization", "Bearer " + on.stack.apiKey())
            .timeout(Duration.ofSeconds(30))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
