/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.protocol.conversation.ConversationDocument;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.capture.TreeCapturer;
import dev.baton.snapshot.format.ChunkSizes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores unpacked files as a checkpoint of an external run. */
record CheckpointImporter(OrchestratorRestClient client, String run) {
  /**
   * Stores the checkpoint, pinned, and returns the server's view of it.
   *
   * @param home an empty folder, for conversation and screen
   */
  JsonNode store(PortableCheckpoint portable, Path files, Path home, ProgressTreePrinter tree)
      throws IOException, InterruptedException {
    CapturedTree[] captured = new CapturedTree[2];
    JsonNode conversation = portable.state(PortableCheckpointFormat.CONVERSATION);
    boolean talked = conversation.path("messages").isArray();
    Optional<SavedScreen> screen = portable.screen();
    tree.step(
        "Storing workspace",
        step -> {
          RestPackStore packs = new RestPackStore(client, run, bytes -> step.progress(bytes, 0));
          captured[0] =
              new TreeCapturer(ExcludePolicy.none(), ChunkSizes.STANDARD).capture(files, packs);
          return "%s, %s new"
              .formatted(
                  ByteSizeFormatter.of(captured[0].snapshot().treeBytes()),
                  ByteSizeFormatter.of(captured[0].storedBytes()));
        });
    if (talked || screen.isPresent()) {
      tree.step(
          "Storing "
              + (talked ? "conversation" : "")
              + (talked && screen.isPresent() ? " and " : "")
              + (screen.isPresent() ? "screen" : ""),
          step -> {
            if (talked) {
              write(conversation, home);
            }
            if (screen.isPresent()) {
              screen.get().write(home);
            }
            RestPackStore packs = new RestPackStore(client, run, bytes -> step.progress(bytes, 0));
            captured[1] =
                new TreeCapturer(ExcludePolicy.none(), ChunkSizes.STANDARD).capture(home, packs);
            return ByteSizeFormatter.of(captured[1].snapshot().treeBytes());
          });
    }
    String id = RunId.next();
    tree.last(
        "Committing manifest",
        step -> {
          client.put(
              "/runs/" + run + "/checkpoints/" + id,
              Json.tree(manifest(id, portable, captured[0], captured[1], screen)));
          return "";
        });
    return client.put(
        "/checkpoints/" + id + "/pin", Json.mapper().createObjectNode().put("reason", "imported"));
  }

  private static void write(JsonNode conversation, Path home) throws IOException {
    try {
      ConversationDocument.write(home, conversation);
    } catch (IllegalArgumentException e) {
      throw CliException.usage(PortableCheckpointFormat.CONVERSATION + ": " + e.getMessage());
    }
  }

  /**
   * Builds the manifest from the imported one; replaces every field that depends on this server.
   */
  private byte[] manifest(
      String id,
      PortableCheckpoint portable,
      CapturedTree captured,
      @Nullable CapturedTree agent,
      Optional<SavedScreen> screen)
      throws IOException {
    JsonNode runs = client.get("/runs/" + run);
    ObjectNode document = portable.manifest().deepCopy();
    document.remove(List.of(PortableCheckpointFormat.CHECKSUMS, "checksum"));
    ObjectNode origin = Json.mapper().createObjectNode();
    origin.set("id", document.path("id"));
    origin.set("session_id", document.path("session_id"));
    document.set("imported_from", origin);
    document.put("version", Manifest.VERSION).put("id", id).put("session_id", run);
    document
        .put("trigger", CheckpointTrigger.IMPORT.word())
        .put("created_at", Instant.now().toString());
    ObjectNode place = document.putObject("run");
    place
        .put("project", runs.path("project").asText())
        .put("workflow", runs.path("workflow").asText(""))
        .put("epoch", runs.path("epoch").asInt(1));
    JsonNode talk = portable.state(PortableCheckpointFormat.CONVERSATION);
    document.set(
        "conversation",
        conversation(talk.has("turn_count") ? talk : document.path("conversation")));
    document.set("session_state", portable.state(PortableCheckpointFormat.SESSION));
    workspace(document.withObject("/workspace"), captured);
    document.remove("agent");
    if (agent != null) {
      agent(document, talk, agent.snapshot());
    }
    screen(document.withObject("/contributors"), screen);
    document.put("checksum", ManifestCodec.checksum(document));
    try {
      return ManifestCodec.write(ManifestCodec.read(Json.bytes(document)));
    } catch (IllegalArgumentException e) {
      throw CliException.usage(String.valueOf(e.getMessage()));
    }
  }

  private static void screen(ObjectNode contributors, Optional<SavedScreen> screen) {
    contributors.remove(CheckpointPart.SCREEN);
    if (screen.isPresent()) {
      contributors
          .putObject(CheckpointPart.SCREEN)
          .put("status", "ok")
          .putObject("counts")
          .put("windows", screen.get().windows().size())
          .put("panes", screen.get().panes());
    }
  }

  private static ObjectNode conversation(JsonNode given) {
    ObjectNode conversation = Json.mapper().createObjectNode();
    conversation.put("turn_count", given.path("turn_count").asInt());
    conversation.set("last_message_id", given.path("last_message_id"));
    conversation.put("tokens_used", given.path("tokens_used").asLong());
    conversation.put("has_resume_token", given.path("has_resume_token").asBoolean());
    return conversation;
  }

  private static void workspace(ObjectNode workspace, CapturedTree captured) {
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
    packs(snapshot, workspace.putArray("packs"));
  }

  /** Conversation and screen are for people: nothing resumes an imported checkpoint. */
  private static void agent(ObjectNode document, JsonNode conversation, Snapshot snapshot) {
    ObjectNode agent = document.putObject("agent");
    agent
        .put("use", conversation.path("agent").asText("imported"))
        .put("session", conversation.path("session_id").textValue())
        .put("boundary", 0)
        .put("digest", snapshot.root().toString())
        .put("format", Manifest.Workspace.TREE)
        .put("size_bytes", snapshot.treeBytes())
        .put("file_count", snapshot.fileCount());
    packs(snapshot, agent.putArray("packs"));
    packs(snapshot, document.withObject("/workspace").withArray("packs"));
  }

  /** Adds the packs that are not listed yet. */
  private static void packs(Snapshot snapshot, ArrayNode listed) {
    Set<String> known = new HashSet<>(listed.findValuesAsText("digest"));
    snapshot.packs().stream()
        .filter(pack -> known.add(pack.id().toString()))
        .forEach(
            pack ->
                listed
                    .addObject()
                    .put("digest", pack.id().toString())
                    .put("size_bytes", pack.size())
                    .put("index_bytes", pack.indexBytes()));
  }
}
