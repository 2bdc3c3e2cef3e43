/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.protocol.conversation.ConversationDocument;
import dev.baton.protocol.conversation.ConversationFolder;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.diff.SnapshotWalker;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.restore.SnapshotReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Builds {@code conversation.json} of a checkpoint from the state of its agent. */
record ConversationExporter(OrchestratorRestClient client, CheckpointDownload opened) {
  /**
   * @param scratch a folder for the stored parts
   * @return counts from the manifest; with an agent, also its session and all messages
   */
  JsonNode export(Path scratch) throws IOException, InterruptedException {
    ObjectNode document = Json.mapper().createObjectNode();
    if (opened.document().path("conversation") instanceof ObjectNode counts) {
      document.setAll(counts);
    }
    Manifest.Agent agent = opened.manifest().agent();
    if (agent == null) {
      return document;
    }
    document.put("agent", agent.use());
    document.put("session_id", agent.session());
    document.put("resume_token", agent.session());
    fetch(agent, scratch);
    ConversationDocument.read(scratch).ifPresent(document::setAll);
    return document;
  }

  private void fetch(Manifest.Agent agent, Path scratch) throws IOException, InterruptedException {
    Snapshot state =
        new Snapshot(
            Hash.parse(agent.digest()),
            opened.snapshot().packs(),
            agent.sizeBytes(),
            agent.fileCount());
    try (SnapshotReader reader = SnapshotReader.open(state, opened.packs(client))) {
      SnapshotWalker.walk(
          reader,
          (path, entry) -> {
            if (entry instanceof NodeEntry.File file
                && ConversationFolder.contains(Path.of(path))) {
              Path to = scratch.resolve(path).normalize();
              if (!to.startsWith(scratch)) {
                throw new IOException("the agent's state has the path " + path);
              }
              Files.createDirectories(Objects.requireNonNull(to.getParent()));
              try (OutputStream out = Files.newOutputStream(to)) {
                reader.copy(file, out);
              }
            }
          });
    }
  }
}
