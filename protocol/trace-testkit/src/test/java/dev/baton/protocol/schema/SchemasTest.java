/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.testkit.TraceSamples;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the published schemas, and the tables of fields in {@code docs/events.md}, against the
 * records. To regenerate them after a record has changed: {@code ./mvnw -pl protocol/trace-testkit
 * -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=SchemasTest -Dbaton.schemas.write=true}.
 */
class SchemasTest {
  private static final Path FOLDER =
      Path.of("..", "trace", "src/main/resources/dev/baton/protocol/schema/v1");
  private static final Path PAGE = Path.of("..", "..", "docs", "events.md");

  @Test
  void shouldPublishASchemaForEveryMessageAsTheRecordsHaveIt() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    for (var types : AsyncApi.messages().values()) {
      for (var message : types.entrySet()) {
        String file = AsyncApi.fileName(message.getKey());
        expected.put(
            file,
            pretty(
                RecordSchemas.document(
                    AsyncApi.SCHEMAS + file, message.getKey(), message.getValue())));
      }
    }
    expected.put("asyncapi.json", pretty(AsyncApi.document()));
    expected.put(
        "manifest.schema.json",
        pretty(
            RecordSchemas.document(
                AsyncApi.SCHEMAS + "manifest.schema.json",
                "manifest.json of a checkpoint",
                Manifest.class)));
    if (Boolean.getBoolean("baton.schemas.write")) {
      Files.createDirectories(FOLDER);
      for (var file : expected.entrySet()) {
        Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
      }
    }

    assertThat(published()).isEqualTo(expected);
  }

  @Test
  void shouldDocumentEveryFieldAsTheSchemasHaveIt() throws IOException {
    FieldTableRenderer renderer = new FieldTableRenderer();
    String page = Files.readString(PAGE);
    int begin = page.indexOf(FieldTableRenderer.BEGIN) + FieldTableRenderer.BEGIN.length();
    int end = page.indexOf(FieldTableRenderer.END);
    assertThat(end).as("marks of the generated section in " + PAGE).isGreaterThan(begin);

    String expected = page.substring(0, begin) + renderer.render() + page.substring(end);

    if (Boolean.getBoolean("baton.schemas.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
    assertThat(renderer.unused()).as("meanings of fields that do not exist").isEmpty();
  }

  @Test
  void shouldAcceptWhatTheCodecWrites() {
    for (TraceRecord record : TraceSamples.manySeeds()) {
      String type = EventTypeRegistry.of(record.event());
      byte[] data = TraceCodec.encode(TopicName.TRACE, record, null).value();

      assertThat(schema(type).validate(new String(data, StandardCharsets.UTF_8), InputFormat.JSON))
          .as("%s against its schema", record)
          .isEmpty();
    }
  }

  @Test
  void shouldRefuseAnEventThatLacksARequiredField() {
    assertThat(
            schema("dev.baton.step_completed").validate("{\"kind\":\"shell\"}", InputFormat.JSON))
        .anyMatch(problem -> problem.getMessage().contains("step"));
  }

  private static Schema schema(String type) {
    Class<?> record = EventTypeRegistry.recordOf(type).orElseThrow();
    JsonNode document = RecordSchemas.document(AsyncApi.SCHEMAS + type, type, record);
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
        .getSchema(document.toString(), InputFormat.JSON);
  }

  private static Map<String, String> published() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.collect(
          Collectors.toMap(
              file -> file.getFileName().toString(),
              file -> {
                try {
                  return Files.readString(file);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              },
              (a, b) -> a,
              TreeMap::new));
    }
  }

  private static String pretty(JsonNode node) throws IOException {
    return Json.mapper().writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(node)
        + "\n";
  }
}
