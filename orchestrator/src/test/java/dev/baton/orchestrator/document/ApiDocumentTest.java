/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks the served documents. To write the committed one after a change of the API: {@code
 * -Dapi.document.write=true}.
 */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ApiDocumentTest {
  private static final Path COMMITTED = Path.of("..", "docs", "api", "openapi.yaml");

  @Inject OrchestratorTestEnvironment bed;

  private OrchestratorTestClient.Answer get(String path, String accept) {
    return bed.api().send(bed.api().request(path).header("Accept", accept).GET());
  }

  private JsonNode document() {
    return get("/openapi", "application/json").json();
  }

  @Test
  void shouldServeTheCommittedDocument() throws Exception {
    String served = get("/openapi", "application/yaml").text();
    if (Boolean.getBoolean("api.document.write")) {
      Files.createDirectories(COMMITTED.getParent());
      Files.writeString(COMMITTED, served);
    }

    assertThat(served)
        .as("the API has changed; -Dapi.document.write=true writes the document")
        .isEqualTo(Files.readString(COMMITTED));
  }

  @Test
  void shouldServeYamlAndJsonAtBothPaths() throws Exception {
    JsonNode yaml = new YAMLMapper().readTree(get("/openapi", "application/yaml").text());

    assertThat(yaml.path("openapi").asText()).startsWith("3.0");
    assertThat(get("/openapi?format=json", "*/*").json()).isEqualTo(document());
    assertThat(get("/openapi?format=yaml", "*/*").text()).startsWith("---\nopenapi: 3.0");
    assertThat(get("/q/openapi", "application/json").json()).isEqualTo(document());
    assertThat(get("/q/openapi?format=json", "*/*").json()).isEqualTo(document());
  }

  @Test
  void shouldDescribeEveryOperation() {
    List<String> gaps = new ArrayList<>();
    document()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method ->
                            gaps(method.getKey() + " " + path.getKey(), method.getValue(), gaps)));

    assertThat(gaps).isEmpty();
  }

  private static void gaps(String name, JsonNode operation, List<String> gaps) {
    for (String field : List.of("operationId", "summary")) {
      if (operation.path(field).asText().isEmpty()) {
        gaps.add(name + ": no " + field);
      }
    }
    if (operation.path("tags").isEmpty()) {
      gaps.add(name + ": no tag");
    }
    for (JsonNode parameter : operation.path("parameters")) {
      if (parameter.path("description").asText().isEmpty()) {
        gaps.add(name + ": parameter " + parameter.path("name") + " has no description");
      }
    }
    operation
        .path("responses")
        .properties()
        .forEach(
            response -> {
              boolean success = response.getKey().startsWith("2");
              if (success && response.getValue().path("description").asText().isEmpty()) {
                gaps.add(name + ": " + response.getKey() + " has no description");
              }
              if (success
                  && response.getValue().path("content").isEmpty()
                  && !response.getKey().equals("204")) {
                gaps.add(name + ": " + response.getKey() + " has no body");
              }
            });
    for (String status : List.of("403", "421", "500", "503")) {
      if (!operation.path("responses").has(status)) {
        gaps.add(name + ": no " + status);
      }
    }
  }

  @Test
  void shouldNameSchemasAndFieldsAsTheWireDoes() {
    List<String> wrong = new ArrayList<>();
    document()
        .path("components")
        .path("schemas")
        .properties()
        .forEach(
            schema -> {
              if (!schema.getKey().matches("[A-Z][A-Za-z]+") || schema.getKey().endsWith("View")) {
                wrong.add(schema.getKey());
              }
              schema
                  .getValue()
                  .path("properties")
                  .properties()
                  .forEach(
                      field -> {
                        if (!field.getKey().matches("[a-z][a-z0-9]*(_[a-z0-9]+)*")
                            || field.getValue().isEmpty()) {
                          wrong.add(schema.getKey() + "." + field.getKey());
                        }
                      });
            });

    assertThat(wrong).isEmpty();
    assertThat(document().path("components").path("schemas").path("Run").path("required"))
        .extracting(JsonNode::asText)
        .contains("id", "created_at", "current_steps")
        .doesNotContain("ended_at", "output");
  }

  @Test
  void shouldServeEverySchemaThatTheTopicsReferTo() {
    JsonNode topics = get("/asyncapi", "application/json").json();
    JsonNode schemas = get("/schemas", "application/json").json().path("schemas");

    assertThat(topics.path("asyncapi").asText()).isEqualTo("3.0.0");
    List<String> references =
        topics.findValues("$ref").stream()
            .map(JsonNode::asText)
            .filter(reference -> !reference.startsWith("#"))
            .toList();
    assertThat(references).hasSizeGreaterThan(20).allMatch(path -> path.startsWith("/schemas/"));
    List<String> paths = schemas.findValuesAsText("path");
    assertThat(paths)
        .containsAll(references)
        .contains("/schemas/workflow.schema.json", "/schemas/manifest.schema.json");
    for (String path : paths) {
      OrchestratorTestClient.Answer schema = get(path, "application/schema+json");
      assertThat(schema.status()).as(path).isEqualTo(200);
      assertThat(schema.type()).startsWith("application/schema+json");
      assertThat(schema.json().has("$schema")).as(path).isTrue();
    }
    OrchestratorTestClient.Answer missing = get("/schemas/nothing", "application/json");
    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.text()).contains("'nothing'", "/schemas");
  }

  @Test
  void shouldListTheDocumentsAtTheRoot() {
    JsonNode index = get("/", "application/json").json();

    for (JsonNode entry : index.path("documents")) {
      assertThat(get(entry.path("path").asText(), "*/*").status()).as("%s", entry).isEqualTo(200);
    }
    for (JsonNode entry : index.path("resources")) {
      assertThat(get(entry.path("path").asText(), "*/*").status())
          .as("%s", entry)
          .isNotEqualTo(404);
    }
    assertThat(get("/", "text/html,application/xhtml+xml,*/*;q=0.8").type())
        .startsWith("text/html");
    assertThat(get("/", "*/*").type()).startsWith("application/json");
  }
}
