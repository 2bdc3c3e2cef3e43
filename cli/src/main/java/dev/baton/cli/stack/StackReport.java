/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;

/** Builds the output of {@code up -o json}: addresses and processes, no secrets. */
final class StackReport {
  private StackReport() {}

  static ObjectNode of(DataFolder folder, StackInfo stack, boolean already) {
    ObjectNode report = Json.mapper().createObjectNode();
    report.put("ready", stack.ready());
    report.put("already_up", already);
    report.put("data", folder.path().toString());
    report.put("server", stack.url("orchestrator"));
    report.put("supervisor_pid", stack.supervisorPid());
    ObjectNode components = report.putObject("components");
    stack
        .json()
        .path("components")
        .properties()
        .forEach(c -> components.set(c.getKey(), c.getValue().path("pid")));
    report.set("ports", stack.json().path("ports"));
    return report;
  }
}
