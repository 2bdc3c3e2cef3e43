/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Hash;
import dev.baton.transfer.PresignedPackSource;
import dev.baton.transfer.RetryBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A checkpoint's manifest and the addresses of its objects.
 *
 * @param document the manifest as the checkpoint-store returns it
 * @param urls presigned addresses for GET requests, valid for some minutes
 */
record CheckpointDownload(
    String id, JsonNode document, Manifest manifest, Snapshot snapshot, Map<Hash, String> urls) {
  private static final int ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /**
   * @throws CliException when the checkpoint does not exist, or the server's response about it is
   *     invalid
   */
  static CheckpointDownload open(OrchestratorRestClient client, CheckpointRef reference) {
    JsonNode answer = client.get(reference.path("/packs"));
    String id = answer.path("id").asText(reference.text());
    try {
      return read(id, answer);
    } catch (IllegalArgumentException e) {
      throw CliException.of(
          CliExitCode.FAILED, "checkpoint %s is broken: %s".formatted(id, e.getMessage()), e);
    }
  }

  /**
   * Returns a source of its packs, which requests new URLs when they have expired and tries each
   * read five times. Thread-safe.
   */
  PresignedPackSource packs(OrchestratorRestClient client) {
    return new PresignedPackSource(
        client.objects(),
        urls,
        () -> open(client, new CheckpointRef(id, null)).urls(),
        () -> RetryBudget.ofAttempts(ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE));
  }

  private static CheckpointDownload read(String id, JsonNode answer) {
    Manifest manifest = ManifestCodec.read(Json.bytes(answer.path("manifest")));
    Manifest.Workspace workspace = manifest.workspace();
    if (!workspace.format().equals(Manifest.Workspace.TREE)) {
      throw new IllegalArgumentException(
          "its files are stored in format '%s'; supported: '%s'"
              .formatted(workspace.format(), Manifest.Workspace.TREE));
    }
    List<PackRef> packs = new ArrayList<>();
    Map<Hash, String> urls = new HashMap<>();
    for (JsonNode each : answer.path("packs")) {
      Hash digest = Hash.parse(each.path("digest").asText());
      packs.add(
          new PackRef(digest, each.path("size_bytes").asLong(), each.path("index_bytes").asInt()));
      urls.put(digest, each.path("get_url").asText());
    }
    return new CheckpointDownload(
        id,
        answer.path("manifest"),
        manifest,
        new Snapshot(
            Hash.parse(workspace.digest()), packs, workspace.sizeBytes(), workspace.fileCount()),
        Map.copyOf(urls));
  }
}
