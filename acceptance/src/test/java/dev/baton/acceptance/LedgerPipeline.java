/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A definition whose shell steps record their execution in a file outside the system: before its
 * own script, each step adds a line {@code STEP EPOCH} to the ledger and then takes at least {@code
 * pace}.
 */
enum LedgerPipeline {
  /** The pipeline of the demo. */
  RELEASE_REPORT(Path.of("../examples/release-report.yaml")) {
    @Override
    ObjectNode input(Path repository) {
      return AcceptanceApiClient.JSON.createObjectNode().put("repository", repository.toString());
    }
  },
  /** Branches that change files and are merged; a wait step. */
  MERGE(Path.of("src/test/resources/merge.yaml")) {
    @Override
    ObjectNode input(Path repository) {
      return AcceptanceApiClient.JSON.createObjectNode();
    }
  };

  private static final YAMLMapper YAML = new YAMLMapper();

  private final Path file;

  LedgerPipeline(Path file) {
    this.file = file;
  }

  abstract ObjectNode input(Path repository);

  /**
   * @param pace minimum duration of every shell step in seconds
   */
  PipelineRun start(SharedStackExtension.RunningStack on, Path repository, double pace)
      throws IOException, InterruptedException {
    return start(on.api, on.folder, repository, pace);
  }

  /**
   * @param folder for the ledger
   * @param pace minimum duration of every shell step in seconds
   */
  PipelineRun start(AcceptanceApiClient api, Path folder, Path repository, double pace)
      throws IOException, InterruptedException {
    Path ledger = Files.createTempFile(folder, name().toLowerCase(Locale.ROOT), ".ledger");
    ObjectNode definition = (ObjectNode) YAML.readTree(file.toFile());
    List<String> shells = new ArrayList<>();
    record((ArrayNode) definition.path("steps"), ledger, pace, shells);
    String name = definition.path("name").asText();
    api.push(YAML.writeValueAsString(definition));
    return new PipelineRun(api, api.start(name, input(repository)), ledger, shells);
  }

  private static void record(ArrayNode steps, Path ledger, double pace, List<String> shells) {
    for (JsonNode step : steps) {
      if (step.has("shell")) {
        shells.add(step.path("id").asText());
        ((ObjectNode) step)
            .put(
                "shell",
                "echo \"$BATON_STEP_ID $BATON_EPOCH\" >> '%s'\nsleep %s\n%s"
                    .formatted(ledger, pace, step.path("shell").asText()));
      }
      if (step.path("parallel").has("steps")) {
        record((ArrayNode) step.path("parallel").path("steps"), ledger, pace, shells);
      }
    }
  }
}
