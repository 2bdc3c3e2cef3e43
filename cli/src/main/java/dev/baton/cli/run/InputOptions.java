/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.JsonArgumentReader;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Parses a run's input from options. The workflow's input schema defines the type of a {@code
 * KEY=VALUE}; if it allows a string, or has no type, the value is the text as typed.
 */
final class InputOptions {
  private static final String NAME = "-i";

  @Option(
      names = "--input",
      paramLabel = "JSON|@FILE|-",
      description = "The input: JSON, a file with JSON, or - for stdin.")
  private @Nullable String input;

  @Option(
      names = {NAME, "--set"},
      paramLabel = "KEY=VALUE|KEY:=JSON",
      description =
          "One property of the input; may be repeated. KEY=VALUE is a text, or the type in the workflow's"
              + " input schema; KEY:=JSON is JSON, KEY:=@FILE a file with JSON.")
  private List<String> properties = new ArrayList<>();

  boolean isGiven() {
    return input != null || !properties.isEmpty();
  }

  /**
   * Reads the input.
   *
   * @param otherwise the object in which properties are set when no input is given
   * @param schema of the input, requested only if a property needs it; a missing node when it is
   *     unknown
   */
  JsonNode read(InputStream stdin, Supplier<JsonNode> otherwise, Supplier<JsonNode> schema) {
    JsonNode base =
        input == null
            ? otherwise.get()
            : JsonArgumentReader.read(text(input, stdin, "--input"), "--input");
    if (properties.isEmpty()) {
      return base;
    }
    if (!(base instanceof ObjectNode object)) {
      throw CliException.usage("-i requires an input that is a JSON object; --input is not one");
    }
    @Nullable SchemaTypeResolver types = null;
    for (String property : properties) {
      int equals = property.indexOf('=');
      boolean json = equals > 0 && property.charAt(equals - 1) == ':';
      String key = equals < 0 ? "" : property.substring(0, json ? equals - 1 : equals);
      if (key.isEmpty()) {
        throw CliException.usage(
            "-i '%s' is not allowed; allowed: KEY=VALUE, KEY:=JSON, KEY:=@FILE"
                .formatted(property));
      }
      String value = property.substring(equals + 1);
      if (json) {
        String option = NAME + " " + key + ":=";
        object.set(
            key,
            JsonArgumentReader.read(
                value.startsWith("@") ? text(value, stdin, option) : value, option));
      } else {
        types = types == null ? new SchemaTypeResolver(schema.get()) : types;
        object.set(key, typed(key, value, types.of(key)));
      }
    }
    return object;
  }

  /**
   * Returns the input schema of a stored workflow. Missing node if it has none, or is not stored;
   * starting the run then reports the error.
   *
   * @param reference a name, or a name and a hash
   */
  static JsonNode schemaOf(OrchestratorRestClient client, String reference) {
    int at = reference.indexOf('@');
    String path =
        at < 0
            ? UrlQueryBuilder.encode(reference)
            : UrlQueryBuilder.encode(reference.substring(0, at))
                + "@"
                + reference.substring(at + 1);
    try {
      return client.get("/workflows/" + path).path("definition").path("input");
    } catch (CliException e) {
      if (e.code() == CliExitCode.NOT_FOUND) {
        return MissingNode.getInstance();
      }
      throw e;
    }
  }

  private static JsonNode typed(String key, String text, Set<SchemaTypeResolver.Type> allowed) {
    if (allowed.contains(SchemaTypeResolver.Type.STRING)) {
      return TextNode.valueOf(text);
    }
    try {
      JsonNode value = JsonArgumentReader.read(text);
      if (value != null
          && !value.isMissingNode()
          && allowed.contains(SchemaTypeResolver.Type.of(value))) {
        return value;
      }
    } catch (JacksonException notJson) {
      throw refused(key, text, allowed, " (" + notJson.getOriginalMessage() + ")");
    }
    throw refused(key, text, allowed, "");
  }

  private static CliException refused(
      String key, String text, Set<SchemaTypeResolver.Type> allowed, String why) {
    return CliException.usage(
        "-i %s=%s: the value is not allowed%s; allowed by the workflow's input schema: %s"
            .formatted(key, text, why, SchemaTypeResolver.words(allowed)));
  }

  /**
   * Reads the value of an option.
   *
   * @param from the value, {@code @FILE}, or {@code -} for stdin
   * @throws CliException usage, when the file cannot be read
   */
  static String text(String from, InputStream stdin, String option) {
    try {
      if (from.equals("-")) {
        return new String(stdin.readAllBytes(), StandardCharsets.UTF_8);
      }
      return from.startsWith("@") ? Files.readString(Path.of(from.substring(1))) : from;
    } catch (NoSuchFileException e) {
      throw CliException.usage(option + ": file not found: '" + e.getFile() + "'");
    } catch (IOException e) {
      throw CliException.usage(option + " " + from + " cannot be read: " + e.getMessage());
    }
  }

  /** Input when none is given: an empty object. */
  static JsonNode nothing() {
    return Json.mapper().createObjectNode();
  }
}
