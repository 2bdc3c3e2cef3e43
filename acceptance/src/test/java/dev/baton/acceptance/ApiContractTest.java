/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openapitools.openapidiff.core.OpenApiCompare;
import org.openapitools.openapidiff.core.model.ChangedOpenApi;
import org.openapitools.openapidiff.core.output.MarkdownRender;

/**
 * Checks the API document against the last recorded version, and that the check of responses finds
 * what the document does not describe. To record the current version, after a release or a change
 * that is meant to break: {@code -Dbaton.contract.record=true}.
 */
class ApiContractTest {
  private static final Path RECORDED = Path.of("src/test/resources/recorded/openapi.yaml");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String JSON_TYPE = "application/json";
  private static final String EPOCH = "/runs/ab4v8k/epoch";

  private static String problem(String type, int status) {
    return """
    {"type": "https://baton.dev/problems/%s", "title": "t", "status": %d, "detail": "d", "instance": "/i"}\
    """
        .formatted(type, status);
  }

  @Test
  void shouldBreakNoProgramThatUsesTheRecordedVersion() throws IOException {
    if (Boolean.getBoolean("baton.contract.record")) {
      Files.createDirectories(RECORDED.getParent());
      Files.copy(ApiContract.DOCUMENT, RECORDED, StandardCopyOption.REPLACE_EXISTING);
    }

    ChangedOpenApi changes =
        OpenApiCompare.fromContents(
            Files.readString(RECORDED), Files.readString(ApiContract.DOCUMENT));

    assertThat(changes.isCompatible()).as(() -> text(changes)).isTrue();
  }

  private static String text(ChangedOpenApi changes) {
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    new MarkdownRender()
        .render(
            changes, new java.io.OutputStreamWriter(out, java.nio.charset.StandardCharsets.UTF_8));
    return out.toString(java.nio.charset.StandardCharsets.UTF_8);
  }

  static Stream<Arguments> breakingChanges() {
    return Stream.of(
        change("a removed operation", api -> object(api, "/paths/~1runs").remove("get")),
        change(
            "a removed field of a response",
            api -> object(api, "/components/schemas/Run/properties").remove("epoch")),
        change(
            "another type of a field",
            api ->
                object(api, "/components/schemas/Run/properties/epoch")
                    .put("type", "string")
                    .remove("format")),
        change(
            "a new required field of a request",
            api -> object(api, "/components/schemas/RunRequest").putArray("required").add("input")),
        change(
            "a removed status", api -> object(api, "/paths/~1runs/post/responses").remove("201")));
  }

  private static Arguments change(String what, Consumer<JsonNode> change) {
    return Arguments.of(what, change);
  }

  private static ObjectNode object(JsonNode api, String pointer) {
    return (ObjectNode) api.at(pointer);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("breakingChanges")
  void shouldFindABreakingChange(String what, Consumer<JsonNode> change) throws IOException {
    JsonNode changed = YAML.readTree(Files.readString(ApiContract.DOCUMENT));

    change.accept(changed);

    assertThat(
            OpenApiCompare.fromContents(
                    Files.readString(ApiContract.DOCUMENT), YAML.writeValueAsString(changed))
                .isCompatible())
        .isFalse();
  }

  @Test
  void shouldAllowANewFieldOfAResponse() throws IOException {
    JsonNode changed = YAML.readTree(Files.readString(ApiContract.DOCUMENT));

    object(changed, "/components/schemas/Run/properties").putObject("team").put("type", "string");

    assertThat(
            OpenApiCompare.fromContents(
                    Files.readString(ApiContract.DOCUMENT), YAML.writeValueAsString(changed))
                .isCompatible())
        .isTrue();
  }

  @Test
  void shouldAcceptWhatTheDocumentDescribes() {
    ApiContract contract = ApiContract.committed();

    contract.check("GET", EPOCH, 200, JSON_TYPE, "{\"run\":\"r\",\"epoch\":1,\"current\":true}");
    contract.check("GET", EPOCH, 404, "application/problem+json", problem("not-found", 404));
    contract.check("GET", "/nothing", 404, "application/problem+json", problem("not-found", 404));
  }

  static Stream<Arguments> wrongResponses() {
    return Stream.of(
        Arguments.of(200, JSON_TYPE, "{\"run\":\"r\",\"epoch\":1}", "current"),
        Arguments.of(200, JSON_TYPE, "{\"run\":\"r\",\"epoch\":\"1\",\"current\":true}", "epoch"),
        Arguments.of(
            200, JSON_TYPE, "{\"run\":\"r\",\"epoch\":1,\"current\":true,\"why\":\"\"}", "why"),
        Arguments.of(201, JSON_TYPE, "{}", "the status is not described"),
        Arguments.of(200, "text/plain", "x", "the media type is not described"),
        Arguments.of(
            404,
            "application/problem+json",
            problem("conflict", 404),
            "the problem type is not described"));
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @MethodSource("wrongResponses")
  void shouldFindAWrongResponse(int status, String type, String body, String finding) {
    ApiContract contract = ApiContract.committed();

    assertThatThrownBy(() -> contract.check("GET", EPOCH, status, type, body))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(finding);
  }

  @Test
  void shouldFindAnUndescribedPathAndMethod() {
    ApiContract contract = ApiContract.committed();

    assertThatThrownBy(() -> contract.check("GET", "/nothing", 200, JSON_TYPE, "{}"))
        .hasMessageContaining("the path is not described");
    assertThatThrownBy(() -> contract.check("PUT", EPOCH, 200, JSON_TYPE, "{}"))
        .hasMessageContaining("the method is not described");
  }
}
