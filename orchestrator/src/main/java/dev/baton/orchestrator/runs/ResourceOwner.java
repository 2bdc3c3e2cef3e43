/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;

/**
 * The resource of a Kubernetes cluster for which a run is started.
 *
 * @param uid for which at most one run is started
 * @param onDelete {@code cancel} or {@code orphan}: what its deletion does to the run
 */
public record ResourceOwner(String uid, String namespace, String name, String onDelete) {
  /** The row for {@code json_to_recordset}. */
  ObjectNode row(String run) {
    return Json.mapper()
        .createObjectNode()
        .put("uid", uid)
        .put("run", run)
        .put("namespace", namespace)
        .put("name", name)
        .put("on_delete", onDelete);
  }
}
