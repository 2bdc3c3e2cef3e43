/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the published schemas against the last recorded version. To record the current one, after
 * a release or a change that is meant to break: {@code -Dbaton.contract.record=true}.
 */
class SchemaCompatibilityTest {
  private static final Path PUBLISHED =
      Path.of("..", "trace", "src/main/resources/dev/baton/protocol/schema/v1");
  private static final Path RECORDED = Path.of("src/test/resources/recorded/v1");

  private static List<Path> schemas(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".schema.json")).sorted().toList();
    }
  }

  @Test
  void shouldBreakNoProgramThatReadsOrWritesTheRecordedVersion() throws IOException {
    if (Boolean.getBoolean("baton.contract.record")) {
      Files.createDirectories(RECORDED);
      for (Path old : schemas(RECORDED)) {
        Files.delete(old);
      }
      for (Path schema : schemas(PUBLISHED)) {
        Files.copy(schema, RECORDED.resolve(schema.getFileName()));
      }
    }

    List<String> changes = new ArrayList<>();
    for (Path was : schemas(RECORDED)) {
      Path is = PUBLISHED.resolve(was.getFileName());
      if (Files.exists(is)) {
        SchemaCompatibility.breaking(read(was), read(is))
            .forEach(change -> changes.add(was.getFileName() + " " + change));
      } else {
        changes.add(was.getFileName() + " removed");
      }
    }

    assertThat(schemas(RECORDED)).hasSizeGreaterThan(25);
    assertThat(changes).isEmpty();
  }

  static Stream<Arguments> breakingChanges() {
    return Stream.of(
        change("/labels: removed", schema -> properties(schema).remove("labels")),
        change(
            "/team: required now",
            schema -> {
              properties(schema).putObject("team").put("type", "string");
              ((ArrayNode) schema.path("required")).add("team");
            }),
        change(
            "/created_at: no longer required, so readers can miss it",
            schema -> schema.remove("required")),
        change(
            "/priority: type \"integer\" became \"string\"",
            schema -> ((ObjectNode) properties(schema).path("priority")).put("type", "string")),
        change(
            "/kind: only [\"managed\"] is allowed now",
            schema ->
                ((ObjectNode) properties(schema).path("kind")).putArray("enum").add("managed")),
        change(
            "/input/oneOf/1: removed",
            schema -> ((ArrayNode) properties(schema).path("input").path("oneOf")).remove(1)),
        change(
            ": unknown fields are no longer allowed",
            schema -> schema.put("additionalProperties", false)));
  }

  private static Arguments change(String finding, Consumer<ObjectNode> change) {
    return Arguments.of(finding, change);
  }

  private static ObjectNode properties(ObjectNode schema) {
    return (ObjectNode) schema.path("properties");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("breakingChanges")
  void shouldFindABreakingChange(String finding, Consumer<ObjectNode> change) throws IOException {
    JsonNode recorded = read(RECORDED.resolve("run_created.schema.json"));
    ObjectNode changed = recorded.deepCopy();

    change.accept(changed);

    assertThat(SchemaCompatibility.breaking(recorded, changed)).containsExactly(finding);
  }

  @Test
  void shouldAllowANewOptionalField() throws IOException {
    JsonNode recorded = read(RECORDED.resolve("run_created.schema.json"));
    ObjectNode changed = recorded.deepCopy();

    properties(changed).putObject("team").put("type", "string");

    assertThat(SchemaCompatibility.breaking(recorded, changed)).isEmpty();
  }

  private static JsonNode read(Path file) throws IOException {
    return Json.tree(Files.readAllBytes(file));
  }
}
