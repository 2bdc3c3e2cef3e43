/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Holds the AsyncAPI document and the JSON Schemas that the protocol publishes, as the API serves
 * them: references between them are paths of the API. Immutable.
 */
@ApplicationScoped
class SchemaDocumentRepository {
  static final String PATH = "/schemas/";

  private static final String FOLDER = "/dev/baton/protocol/schema/";
  private static final String VERSION = FOLDER + "v1/";
  private static final String MANIFEST = "manifest.schema.json";
  private static final String WORKFLOW = "workflow.schema.json";

  private final byte[] asyncApi;
  private final SequencedMap<String, byte[]> schemas;

  SchemaDocumentRepository() {
    byte[] topics = read(VERSION + "asyncapi.json");
    TreeMap<String, byte[]> found = new TreeMap<>();
    for (JsonNode reference : Json.tree(topics).findValues("$ref")) {
      if (reference.asText().startsWith("./")) {
        String name = reference.asText().substring(2);
        found.computeIfAbsent(name, file -> read(VERSION + file));
      }
    }
    found.put(MANIFEST, read(VERSION + MANIFEST));
    found.put(WORKFLOW, read(FOLDER + WORKFLOW));
    schemas = Collections.unmodifiableSequencedMap(found);
    asyncApi =
        new String(topics, UTF_8)
            .replace("\"$ref\" : \"./", "\"$ref\" : \"" + PATH)
            .getBytes(UTF_8);
  }

  private static byte[] read(String resource) {
    try (InputStream in = SchemaDocumentRepository.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the application");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the AsyncAPI document as UTF-8 JSON. */
  byte[] asyncApi() {
    return asyncApi.clone();
  }

  /** Returns every schema as UTF-8 JSON, by file name in alphabetical order. */
  SequencedMap<String, byte[]> all() {
    return schemas;
  }

  /** Returns the schema with this file name; empty when there is none. */
  Optional<byte[]> find(String name) {
    return Optional.ofNullable(schemas.get(name));
  }
}
