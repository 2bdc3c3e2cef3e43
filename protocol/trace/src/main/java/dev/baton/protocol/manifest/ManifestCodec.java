/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonProblemFormatter;
import dev.baton.protocol.json.RequiredFieldChecker;
import java.io.IOException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes manifests: compact JSON in UTF-8 with the members of every object sorted by
 * name. The checksum is the SHA-256 of these bytes without the member {@code checksum}, so it does
 * not depend on a document's indentation or order. Thread-safe.
 */
public final class ManifestCodec {
  private static final String CHECKSUM = "checksum";

  /** Maximum bytes of a manifest. */
  public static final int LARGEST = 16 << 20;

  private ManifestCodec() {}

  /** Writes the manifest with its computed checksum, which replaces any it has. */
  public static byte[] write(Manifest manifest) {
    ObjectNode root = Json.mapper().valueToTree(manifest);
    root.put(CHECKSUM, checksum(root));
    return Json.bytes(sorted(root));
  }

  /**
   * @throws IllegalArgumentException that names what is wrong: not JSON, a missing or invalid
   *     member, an unsupported version, or a wrong checksum
   */
  public static Manifest read(byte[] bytes) {
    if (bytes.length > LARGEST) {
      throw new IllegalArgumentException(
          "the manifest has %d bytes, at most %d are allowed".formatted(bytes.length, LARGEST));
    }
    try {
      JsonNode tree = Json.mapper().readTree(bytes);
      if (!(tree instanceof ObjectNode root)) {
        throw new IllegalArgumentException("the manifest is not a JSON object");
      }
      String version = root.path("version").asText();
      if (!version.equals(Manifest.VERSION)) {
        throw new IllegalArgumentException(
            "the manifest's version is '%s', supported is %s".formatted(version, Manifest.VERSION));
      }
      String given = root.path(CHECKSUM).asText();
      String made = checksum(root);
      if (!given.equals(made)) {
        throw new IllegalArgumentException(
            "the manifest's checksum is '%s', but its content has %s".formatted(given, made));
      }
      Manifest manifest = Json.mapper().treeToValue(root, Manifest.class);
      check("", manifest);
      check("run.", manifest.run());
      check("workspace.", manifest.workspace());
      return manifest;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the manifest cannot be read: " + words(e), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("the manifest is not JSON: " + e.getMessage(), e);
    }
  }

  /** Returns the checksum of a document, with or without its member {@code checksum}. */
  public static String checksum(JsonNode manifest) {
    ObjectNode root = (ObjectNode) sorted(manifest);
    root.remove(CHECKSUM);
    return Digest.of(Json.bytes(root));
  }

  private static void check(String where, Record part) {
    String missing = RequiredFieldChecker.missing(part);
    if (missing != null) {
      throw new IllegalArgumentException("the manifest has no " + where + missing);
    }
  }

  private static String words(JsonProcessingException e) {
    Throwable cause = e.getCause();
    @Nullable String why = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
    return why == null ? JsonProblemFormatter.describe(e) : why;
  }

  /** The depth is limited by Jackson (1,000). */
  private static JsonNode sorted(JsonNode node) {
    return switch (node) {
      case ObjectNode object -> {
        TreeMap<String, JsonNode> members = new TreeMap<>();
        object.properties().forEach(each -> members.put(each.getKey(), sorted(each.getValue())));
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        members.forEach(copy::set);
        yield copy;
      }
      case ArrayNode array -> {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode(array.size());
        array.forEach(each -> copy.add(sorted(each)));
        yield copy;
      }
      default -> node;
    };
  }
}
