/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.protocol.json.Json;
import java.util.Map;
import java.util.UUID;

/** Requests a run that starts from a checkpoint of another. */
public final class ForkRequestSender {
  private ForkRequestSender() {}

  /**
   * @param parent the parent run, by its id or last six characters
   * @param body the start and the changes
   * @return the new run
   */
  public static JsonNode create(OrchestratorRestClient client, String parent, ObjectNode body) {
    return client.post(
        "/runs/" + parent + "/fork",
        Json.bytes(body),
        "application/json",
        Map.of("Idempotency-Key", UUID.randomUUID().toString()));
  }
}
