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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files of a run's last checkpoint.
 *
 * @param digests of all files outside of {@code .git}, by path
 * @param commit that the branch has
 */
record AgentDemoFiles(Map<String, String> digests, String commit) {
  AgentDemoFiles {
    digests = Map.copyOf(digests);
  }

  /** Downloads them from the object store. */
  static AgentDemoFiles fetch(OrchestratorRestClient client, String run, Path target)
      throws IOException, InterruptedException {
    JsonNode last = DemoArtifacts.lastCheckpoint(client.get("/runs/" + run + "/checkpoints"), run);
    CheckpointRestorer.restore(client, last.path("id").asText(), target);
    Map<String, String> digests = new TreeMap<>();
    try (Stream<Path> files = Files.walk(target)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path name = target.relativize(file);
        if (!name.startsWith(".git")) {
          digests.put(name.toString(), FileDigester.of(file));
        }
      }
    }
    return new AgentDemoFiles(
        digests, Files.readString(target.resolve(".git/refs/heads/main")).strip());
  }
}
