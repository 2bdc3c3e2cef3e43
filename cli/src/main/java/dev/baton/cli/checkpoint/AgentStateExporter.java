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
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.screen.SavedScreenCodec;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Exports the parts of an agent's state that people can read: its conversation and its screen.
 *
 * @param screen in the notation of {@code tmux_state.txt}; null where the checkpoint has none
 */
record AgentStateExporter(JsonNode conversation, byte @Nullable [] screen) {
  /**
   * @param scratch an empty folder for the stored parts
   * @return of the conversation counts from the manifest, and with an agent its session and all
   *     messages
   */
  static AgentStateExporter export(
      OrchestratorRestClient client, CheckpointDownload opened, Path scratch)
      throws IOException, InterruptedException {
    ObjectNode document = Json.mapper().createObjectNode();
    if (opened.document().path("conversation") instanceof ObjectNode counts) {
      document.setAll(counts);
    }
    Manifest.Agent agent = opened.manifest().agent();
    if (agent == null) {
      return new AgentStateExporter(document, null);
    }
    document.put("agent", agent.use());
    document.put("session_id", agent.session());
    document.put("resume_token", agent.session());
    boolean shown = CheckpointPart.isIn(opened.document(), CheckpointPart.SCREEN);
    fetch(
        client,
        opened,
        agent,
        scratch,
        path -> ConversationFolder.contains(path) || (shown && SavedScreen.contains(path)));
    ConversationDocument.read(scratch).ifPresent(document::setAll);
    return new AgentStateExporter(
        document,
        SavedScreen.isIn(scratch) ? SavedScreenCodec.write(SavedScreen.read(scratch)) : null);
  }

  private static void fetch(
      OrchestratorRestClient client,
      CheckpointDownload opened,
      Manifest.Agent agent,
      Path scratch,
      Predicate<Path> wanted)
      throws IOException, InterruptedException {
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
            if (entry instanceof NodeEntry.File file && wanted.test(Path.of(path))) {
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
