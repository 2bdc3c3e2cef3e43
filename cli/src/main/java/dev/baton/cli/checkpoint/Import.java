/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.Client;
import dev.baton.cli.terminal.Bytes;
import dev.baton.cli.terminal.StepTree;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.manifest.Trigger;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.Captured;
import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.capture.TreeCapture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Stores unpacked files as a checkpoint of an external run. */
final class Import {
  private final Client client;
  private final String run;

  Import(Client client, String run) {
    this.client = client;
    this.run = run;
  }

  /** The checkpoint as the server has it then, pinned. */
  JsonNode store(Portable portable, Path files, StepTree tree)
      throws IOException, InterruptedException {
    Captured[] captured = new Captured[1];
    tree.step(
        "Storing workspace",
        step -> {
          try (RestPacks packs = new RestPacks(client, run, bytes -> step.progress(bytes, 0))) {
            captured[0] = new TreeCapture(Excludes.none()).capture(files, packs);
          }
          return "%s, %s new"
              .formatted(
                  Bytes.of(captured[0].snapshot().treeBytes()),
                  Bytes.of(captured[0].storedBytes()));
        });
    String id = RunId.next();
    tree.last(
        "Committing manifest",
        step -> {
          client.put(
              "/runs/" + run + "/cuts/" + id, Json.tree(manifest(id, portable, captured[0])));
          return "";
        });
    return client.put(
        "/cuts/" + id + "/pin", Json.mapper().createObjectNode().put("reason", "imported"));
  }

  /** The brought document with what is true here in its place. */
  private byte[] manifest(String id, Portable portable, Captured captured) throws IOException {
    JsonNode runs = client.get("/runs/" + run);
    ObjectNode document = portable.manifest().deepCopy();
    document.remove(List.of(Layout.CHECKSUMS, "checksum"));
    ObjectNode origin = Json.mapper().createObjectNode();
    origin.set("id", document.path("id"));
    origin.set("session_id", document.path("session_id"));
    document.set("imported_from", origin);
    document.put("version", Manifest.VERSION).put("id", id).put("session_id", run);
    document.put("trigger", Trigger.IMPORT.word()).put("created_at", Instant.now().toString());
    ObjectNode place = document.putObject("run");
    place
        .put("project", runs.path("project").asText())
        .put("workflow", runs.path("workflow").asText(""))
        .put("epoch", runs.path("epoch").asInt(1));
    document.set("conversation", conversation(document.path("conversation")));
    document.set("session_state", portable.state(Layout.SESSION));
    workspace(document.withObject("/workspace"), captured);
    document.put("checksum", ManifestCodec.checksum(document));
    return ManifestCodec.write(ManifestCodec.read(Json.bytes(document)));
  }

  private static ObjectNode conversation(JsonNode given) {
    ObjectNode conversation = Json.mapper().createObjectNode();
    conversation.put("turn_count", given.path("turn_count").asInt());
    conversation.set("last_message_id", given.path("last_message_id"));
    conversation.put("tokens_used", given.path("tokens_used").asLong());
    conversation.put("has_resume_token", given.path("has_resume_token").asBoolean());
    return conversation;
  }

  private static void workspace(ObjectNode workspace, Captured captured) {
    Snapshot snapshot = captured.snapshot();
    workspace
        .put("path", Manifest.Workspace.PATH)
        .put("size_bytes", snapshot.treeBytes())
        .put("file_count", snapshot.fileCount())
        .put("digest", snapshot.root().toString())
        .put("format", Manifest.Workspace.TREE)
        .put("stored_bytes", captured.storedBytes())
        .put("skipped_count", 0);
    workspace.putArray("skipped");
    var packs = workspace.putArray("packs");
    snapshot
        .packs()
        .forEach(
            pack ->
                packs
                    .addObject()
                    .put("digest", pack.id().toString())
                    .put("size_bytes", pack.size())
                    .put("index_bytes", pack.indexBytes()));
  }
}
