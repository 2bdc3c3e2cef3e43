/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.sidecar;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes a sidecar's JSON. */
final class SidecarCodec {
  private SidecarCodec() {}

  static byte[] write(MilestoneSidecar sidecar) {
    ObjectNode node = Json.mapper().createObjectNode();
    node.put("schema_version", sidecar.schemaVersion());
    node.put("sha", sidecar.sha());
    node.put("run_id", sidecar.runId());
    node.put("milestone_index", sidecar.milestoneIndex());
    node.put("milestone_title", sidecar.milestoneTitle());
    if (sidecar.createdAt() != null) {
      node.put("created_at", sidecar.createdAt().truncatedTo(ChronoUnit.MILLIS).toString());
    }
    put(node, "tier", sidecar.tier());
    sidecar.verificationCommands().forEach(node.putArray("verification_commands")::add);
    put(node, "tree", sidecar.tree());
    put(node, "patch_id", sidecar.patchId());
    return (node.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ObjectNode node, String name, @Nullable String value) {
    if (value != null) {
      node.put(name, value);
    }
  }

  /**
   * @param sha from the file's name
   * @throws IllegalArgumentException when this is not a valid sidecar; the message has the reason
   */
  static MilestoneSidecar read(byte[] bytes, String sha) {
    JsonNode node = tree(bytes);
    String version = text(node, "schema_version");
    if (!version.startsWith("1.")) {
      throw new IllegalArgumentException(
          "schema_version '" + version + "' is not supported: 1.x is allowed");
    }
    MilestoneSidecar read =
        new MilestoneSidecar(
            version,
            text(node, "sha"),
            text(node, "run_id"),
            index(node),
            node.hasNonNull("milestone_title") ? text(node, "milestone_title") : "",
            node.hasNonNull("created_at") ? instant(text(node, "created_at")) : null,
            optional(node, "tier"),
            texts(node, "verification_commands"),
            optional(node, "tree"),
            optional(node, "patch_id"));
    if (!read.sha().equals(sha)) {
      throw new IllegalArgumentException(
          "its file name is " + sha + ", but its sha is " + read.sha());
    }
    return read;
  }

  private static JsonNode tree(byte[] bytes) {
    try {
      JsonNode node = Json.parsedTree(bytes);
      if (!node.isObject()) {
        throw new IllegalArgumentException("it is not a JSON object");
      }
      return node;
    } catch (JacksonException e) {
      throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static String text(JsonNode node, String name) {
    JsonNode value = node.path(name);
    if (!value.isTextual()) {
      throw new IllegalArgumentException(
          value.isMissingNode() ? name + " is missing" : name + " is not text");
    }
    return value.textValue();
  }

  private static @Nullable String optional(JsonNode node, String name) {
    return node.hasNonNull(name) ? text(node, name) : null;
  }

  private static int index(JsonNode node) {
    JsonNode value = node.path("milestone_index");
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw new IllegalArgumentException("milestone_index is not a whole number");
    }
    return value.intValue();
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("created_at '" + text + "' is not an ISO 8601 time", e);
    }
  }

  private static List<String> texts(JsonNode node, String name) {
    List<String> texts = new ArrayList<>();
    JsonNode array = node.path(name);
    if (!array.isMissingNode() && !array.isNull() && !array.isArray()) {
      throw new IllegalArgumentException(name + " is not a list");
    }
    for (JsonNode text : array) {
      if (!text.isTextual()) {
        throw new IllegalArgumentException(name + " has an entry that is not text");
      }
      texts.add(text.textValue());
    }
    return texts;
  }
}
