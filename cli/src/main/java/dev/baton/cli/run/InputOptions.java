/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.cli.command.CliFailure;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A run's input as it is typed. */
final class InputOptions {
  @Option(
      names = "--input",
      paramLabel = "JSON|@FILE|-",
      description = "The input: JSON, a file that holds it, or - for stdin.")
  private @Nullable String input;

  @Option(
      names = {"-i", "--set"},
      paramLabel = "KEY=VALUE",
      description =
          "One property of the input. JSON where VALUE is JSON (3, true, [1], \"3\"), else a text.")
  private Map<String, String> properties = new LinkedHashMap<>();

  JsonNode read(InputStream stdin) {
    return read(stdin, Json.mapper()::createObjectNode);
  }

  boolean isGiven() {
    return input != null || !properties.isEmpty();
  }

  /**
   * @param otherwise what the properties are set in where no input is given
   */
  JsonNode read(InputStream stdin, Supplier<JsonNode> otherwise) {
    JsonNode base = input == null ? otherwise.get() : parse(text(input, stdin));
    if (properties.isEmpty()) {
      return base;
    }
    if (!(base instanceof ObjectNode object)) {
      throw CliFailure.usage("-i needs an input that is an object; --input is none");
    }
    properties.forEach((key, value) -> object.set(key, value(value)));
    return object;
  }

  private static JsonNode value(String text) {
    try {
      JsonNode node = Json.mapper().readTree(text);
      return node == null || node.isMissingNode() ? TextNode.valueOf(text) : node;
    } catch (JacksonException _) {
      // Not JSON, so it is meant as text.
      return TextNode.valueOf(text);
    }
  }

  private static JsonNode parse(String text) {
    try {
      JsonNode node = Json.mapper().readTree(text);
      if (node == null || node.isMissingNode()) {
        throw CliFailure.usage("--input is empty; give JSON, for example '{\"name\":\"x\"}'");
      }
      return node;
    } catch (JacksonException e) {
      var at = e.getLocation();
      throw CliFailure.usage(
          "--input is not JSON: %s%s"
              .formatted(
                  e.getOriginalMessage(),
                  at == null
                      ? ""
                      : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr())));
    }
  }

  private static String text(String from, InputStream stdin) {
    try {
      if (from.equals("-")) {
        return new String(stdin.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      }
      return from.startsWith("@") ? Files.readString(Path.of(from.substring(1))) : from;
    } catch (NoSuchFileException e) {
      throw CliFailure.usage("--input: there is no file '" + e.getFile() + "'");
    } catch (IOException e) {
      throw CliFailure.usage("--input " + from + " cannot be read: " + e.getMessage());
    }
  }
}
