/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.checkpoint.CheckpointRestorer;
import dev.baton.cli.checkpoint.FileDigester;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Results of a run from two sources: its output, and the files of its last checkpoint.
 *
 * @param output the run's output
 * @param report SHA-256 of {@code report.md} as restored
 * @param archive SHA-256 of {@code report.tar.gz} as restored
 */
record DemoArtifacts(JsonNode output, String report, String archive) {

  /**
   * Restores the run's last checkpoint into {@code target}.
   *
   * @param view the run after its end
   */
  static DemoArtifacts fetch(OrchestratorRestClient client, JsonNode view, Path target)
      throws IOException, InterruptedException {
    String run = view.path("id").asText();
    JsonNode last = lastCheckpoint(client.get("/runs/" + run + "/checkpoints"), run);
    CheckpointRestorer.restore(client, last.path("id").asText(), target);
    return new DemoArtifacts(
        view.path("output"),
        sha256(target.resolve("report.md")),
        sha256(target.resolve("report.tar.gz")));
  }

  /** Whether the files match the output. */
  boolean consistent() {
    return output.path("report_sha256").asText().equals(report)
        && output.path("archive_sha256").asText().equals(archive);
  }

  /** Returns the newest checkpoint of the main line, into which branches were merged. */
  static JsonNode lastCheckpoint(JsonNode answer, String run) {
    JsonNode newest = null;
    for (JsonNode each : answer.isArray() ? answer : answer.path("checkpoints")) {
      boolean mainLine = each.path("branch").asText("").isEmpty();
      if (mainLine
          && (newest == null
              || each.path("position").asLong() > newest.path("position").asLong())) {
        newest = each;
      }
    }
    if (newest == null) {
      throw CliException.of(
          CliExitCode.FAILED, "run " + run + " has no checkpoint of its workspace");
    }
    return newest;
  }

  private static String sha256(Path file) throws IOException {
    return FileDigester.of(file).substring("sha256:".length());
  }
}
