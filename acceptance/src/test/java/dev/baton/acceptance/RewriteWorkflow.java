/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The workflow whose steps rewrite a tree of thousands of files. Each step records the state of the
 * whole tree in a {@link WorkspaceLedger}, at its beginning and at its end.
 */
final class RewriteWorkflow {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path RESOURCES = Path.of("src/test/resources").toAbsolutePath();

  private final SharedStackExtension.RunningStack on;
  private final String name;
  private final List<String> steps;

  private RewriteWorkflow(SharedStackExtension.RunningStack on, String name, List<String> steps) {
    this.on = on;
    this.name = name;
    this.steps = List.copyOf(steps);
  }

  record Started(PipelineRun run, WorkspaceLedger ledger) {}

  static RewriteWorkflow push(SharedStackExtension.RunningStack on)
      throws IOException, InterruptedException {
    ObjectNode definition = (ObjectNode) YAML.readTree(RESOURCES.resolve("rewrite.yaml").toFile());
    ((ObjectNode) definition.path("defaults").path("env")).put("LEDGER", "${{ .input.ledger }}");
    List<String> steps = new ArrayList<>();
    for (JsonNode step : definition.path("steps")) {
      // The initial folder has an undefined modification time, so set it.
      String first = steps.isEmpty() ? "touch -d @0 .\n" : "";
      String script =
          ". '%s'\n%srecord begin\n(\n%s)\nrecord end\n"
              .formatted(RESOURCES.resolve("record.sh"), first, step.path("shell").asText());
      ((ObjectNode) step).put("shell", script);
      steps.add(step.path("id").asText());
    }
    on.api.push(YAML.writeValueAsString(definition));
    return new RewriteWorkflow(on, definition.path("name").asText(), steps);
  }

  /** Returns the steps in the order of the definition. */
  List<String> steps() {
    return steps;
  }

  Started start() throws IOException, InterruptedException {
    WorkspaceLedger ledger = WorkspaceLedger.in(Files.createTempDirectory(on.folder, "rewrite-"));
    ObjectNode input =
        AcceptanceApiClient.JSON.createObjectNode().put("ledger", ledger.folder().toString());
    String id = on.api.start(name, input);
    return new Started(new PipelineRun(on.api, id, ledger.file(), steps), ledger);
  }
}
