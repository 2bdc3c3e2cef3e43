/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/** A workflow definition in a file. */
public record DefinitionFile(Path path) {
  private static final long LIMIT = 1 << 20;

  /** Whether a workflow argument is a file rather than a name. */
  public static boolean looksLikeFile(String text) {
    return text.indexOf('/') >= 0
        || text.endsWith(".yaml")
        || text.endsWith(".yml")
        || text.endsWith(".json")
        || text.endsWith(".dot")
        || text.endsWith(".gv")
        || Files.isRegularFile(Path.of(text));
  }

  /** Converts a workflow argument to the API's reference; stores a file first. */
  public static String reference(OrchestratorRestClient client, String text) {
    if (!looksLikeFile(text)) {
      return text;
    }
    JsonNode stored = new DefinitionFile(Path.of(text)).push(client);
    return stored.path("name").asText() + "@" + stored.path("hash").asText();
  }

  /** Stores the definition; storing an existing one again is not an error. */
  public JsonNode push(OrchestratorRestClient client) {
    return post(client, "/workflows");
  }

  /** Validates the definition on the server without storing it. */
  public JsonNode validate(OrchestratorRestClient client) {
    return post(client, "/workflows/validate");
  }

  /** Parses the definition locally, without a server. */
  WorkflowParseResult parse() {
    return WorkflowParser.parse(read(), DefinitionFormat.ofFile(path.toString()));
  }

  private JsonNode post(OrchestratorRestClient client, String target) {
    byte[] text = read();
    String type = DefinitionFormat.ofFile(path.toString()).mediaType();
    try {
      return client.post(
          target, text, type, Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    } catch (CliException e) {
      throw located(e);
    }
  }

  /** Returns the text unchanged; the server parses it. */
  public String text() {
    return new String(read(), StandardCharsets.UTF_8);
  }

  private byte[] read() {
    try {
      if (Files.size(path) > LIMIT) {
        throw CliException.usage(
            "%s is larger than 1 MiB, the maximum size of a definition".formatted(path));
      }
      return Files.readAllBytes(path);
    } catch (java.nio.file.NoSuchFileException _) {
      throw CliException.usage("file not found: '%s'".formatted(path));
    } catch (IOException e) {
      throw CliException.of(
          dev.baton.cli.command.CliExitCode.USAGE,
          "'%s' cannot be read: %s".formatted(path, e.getMessage()),
          e);
    }
  }

  /**
   * Returns the same failure with its problems as {@code FILE:LINE:COLUMN: …}, which editors can
   * open.
   */
  private CliException located(CliException failure) {
    if (failure.details().isEmpty()) {
      return failure;
    }
    return CliException.problem(
        failure.code(),
        failure.line(),
        failure.details().stream()
            .map(line -> path + ":" + (Character.isDigit(line.charAt(0)) ? "" : " ") + line)
            .toList(),
        failure.asJson());
  }
}
