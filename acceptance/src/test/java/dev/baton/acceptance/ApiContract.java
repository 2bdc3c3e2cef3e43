/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks responses against the OpenAPI document: the status, the media type and the body must be
 * described. Stricter than a client: fields that the document does not name are errors.
 * Thread-safe.
 */
final class ApiContract {
  /** The document as committed; a test of the orchestrator compares it with the served one. */
  static final Path DOCUMENT = Path.of("..", "docs", "api", "openapi.yaml");

  private static final String PROBLEM = "application/problem+json";
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;

  /** An operation with the pattern of its path, more literal ones first. */
  private record Route(Pattern pattern, JsonNode item) {}

  private final JsonNode document;
  private final List<Route> routes = new ArrayList<>();
  private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

  ApiContract(JsonNode document) {
    this.document = document.deepCopy();
    close(this.document.path("components").path("schemas"));
    List<String> paths = new ArrayList<>();
    this.document.path("paths").fieldNames().forEachRemaining(paths::add);
    paths.sort(
        (a, b) ->
            Long.compare(
                a.chars().filter(c -> c == '{').count(), b.chars().filter(c -> c == '{').count()));
    for (String path : paths) {
      routes.add(
          new Route(
              Pattern.compile(path.replaceAll("\\{[^}]+}", "[^/]+").replace(".well", "\\.well")),
              this.document.path("paths").path(path)));
    }
  }

  static ApiContract committed() {
    try {
      return new ApiContract(
          new ObjectMapper(new YAMLFactory()).readTree(Files.readString(DOCUMENT)));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Forbids unknown fields in every object whose fields are described. */
  private static void close(JsonNode node) {
    if (node instanceof ObjectNode object
        && object.path("properties").isObject()
        && !object.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    node.forEach(ApiContract::close);
  }

  /**
   * @param path without a query
   * @throws AssertionError that names what the document does not allow
   */
  void check(String method, String path, int status, String contentType, String body) {
    String what = method + " " + path + " → " + status + " " + contentType;
    Optional<Route> route =
        routes.stream().filter(r -> r.pattern().matcher(path).matches()).findFirst();
    if (route.isEmpty()) {
      expect(
          status == NOT_FOUND || path.startsWith("/q/"), what, "the path is not described", body);
      return;
    }
    JsonNode operation = route.get().item().path(method.toLowerCase(java.util.Locale.ROOT));
    if (operation.isMissingNode()) {
      expect(status == METHOD_NOT_ALLOWED, what, "the method is not described", body);
      return;
    }
    JsonNode response = resolved(operation.path("responses").path(Integer.toString(status)));
    expect(!response.isMissingNode(), what, "the status is not described", body);
    JsonNode content = response.path("content");
    if (content.isEmpty()) {
      expect(body.isEmpty(), what, "no body is described", body);
      return;
    }
    String type = contentType.split(";", 2)[0].strip();
    JsonNode media = content.has(type) ? content.path(type) : content.path("*/*");
    expect(!media.isMissingNode(), what, "the media type is not described", body);
    if (type.equals("application/x-ndjson")) {
      body.lines().filter(line -> !line.isBlank()).forEach(line -> valid(what, media, line));
    } else if (type.endsWith("json") && content.has(type)) {
      valid(what, media, body);
    }
    if (type.equals(PROBLEM)) {
      expect(isDescribed(media, body), what, "the problem type is not described", body);
    }
  }

  private JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
  }

  /** A type beside {@code about:blank}, which says no more than the status, needs an example. */
  private static boolean isDescribed(JsonNode media, String body) {
    try {
      JsonNode type = AcceptanceApiClient.JSON.readTree(body).path("type");
      if (media.path("examples").isEmpty()) {
        return type.asText().equals("about:blank");
      }
      for (JsonNode example : media.path("examples")) {
        if (example.at("/value/type").equals(type)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void valid(String what, JsonNode media, String body) {
    Schema schema = schemas.computeIfAbsent(media.path("schema").toString(), this::schema);
    List<com.networknt.schema.Error> errors = schema.validate(body, InputFormat.JSON);
    expect(errors.isEmpty(), what, errors.toString(), body);
  }

  private Schema schema(String text) {
    try {
      ObjectNode root = (ObjectNode) AcceptanceApiClient.JSON.readTree(text);
      root.set("components", document.path("components"));
      return SchemaRegistry.withDialect(Dialects.getOpenApi30())
          .getSchema(root.toString(), InputFormat.JSON);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void expect(boolean holds, String what, String problem, @Nullable String body) {
    if (!holds) {
      throw new AssertionError(
          what + ": " + problem + "; body: " + Objects.requireNonNullElse(body, ""));
    }
  }
}
