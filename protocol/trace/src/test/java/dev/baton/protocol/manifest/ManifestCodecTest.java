/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ManifestCodecTest {
  private final Manifest manifest = sample();

  @Test
  void shouldReadWhatItWrote() {
    Manifest read = ManifestCodec.read(ManifestCodec.write(manifest));

    assertThat(read).usingRecursiveComparison().ignoringFields("checksum").isEqualTo(manifest);
    assertThat(Objects.requireNonNull(read.checksum())).startsWith("sha256:");
  }

  @Test
  void shouldHoldHoweverItIsWritten() throws IOException {
    JsonNode tree = Json.tree(ManifestCodec.write(manifest));
    byte[] pretty =
        Json.mapper().writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(tree);

    assertThat(ManifestCodec.write(ManifestCodec.read(pretty)))
        .isEqualTo(ManifestCodec.write(manifest));
  }

  @Test
  void shouldKeepWhatItDoesNotKnow() {
    ObjectNode tree = (ObjectNode) Json.tree(ManifestCodec.write(manifest));
    tree.put("weather", "fine");
    tree.put("checksum", ManifestCodec.checksum(tree));

    Manifest read = ManifestCodec.read(Json.bytes(tree));

    assertThat(Json.tree(ManifestCodec.write(read))).isEqualTo(tree);
  }

  @Test
  void shouldSayWhatIsWrong() {
    ObjectNode tree = (ObjectNode) Json.tree(ManifestCodec.write(manifest));
    assertWrong(tree.deepCopy().put("trigger", "whim"), "checksum");
    assertWrong(signed(tree.deepCopy().put("trigger", "whim")), "trigger 'whim' is not one of");
    assertWrong(signed(tree.deepCopy().put("version", "2")), "version is '2'");
    assertWrong(signed(tree.deepCopy().put("id", "../x")), "id '../x'");
    ObjectNode without = tree.deepCopy();
    without.remove("workspace");
    assertWrong(signed(without), "no workspace");
    assertThatThrownBy(() -> ManifestCodec.read("[]".getBytes(UTF_8)))
        .hasMessageContaining("not a JSON object");
    assertThatThrownBy(() -> ManifestCodec.read("{".getBytes(UTF_8)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldBeWhatTheSchemaSays() throws IOException {
    String schema =
        Files.readString(
            Path.of("src/main/resources/dev/baton/protocol/schema/v1/manifest.schema.json"));

    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema, InputFormat.JSON)
                .validate(new String(ManifestCodec.write(manifest), UTF_8), InputFormat.JSON))
        .isEmpty();
  }

  private static void assertWrong(ObjectNode tree, String words) {
    assertThatThrownBy(() -> ManifestCodec.read(Json.bytes(tree)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  private static ObjectNode signed(ObjectNode tree) {
    return tree.put("checksum", ManifestCodec.checksum(tree));
  }

  private static Manifest sample() {
    String digest = Digest.of("tree".getBytes(UTF_8));
    return new Manifest(
        Manifest.VERSION,
        RunId.next(),
        RunId.next(),
        Instant.parse("2026-11-22T08:00:00.123456Z"),
        CheckpointTrigger.PERIODIC,
        new Manifest.Run("default", "flow", digest, 2, "both/left/l1", 3),
        Manifest.Conversation.NONE,
        new Manifest.Workspace(
            Manifest.Workspace.PATH,
            1234,
            5,
            List.of("a b"),
            digest,
            Manifest.Workspace.TREE,
            99,
            List.of(new Manifest.Pack(digest, 4711, 120)),
            List.of(new Manifest.Skipped("run/socket", "socket", null)),
            1),
        new Manifest.Git("main", null, true, true),
        new Manifest.Metrics(0.45, List.of("Read"), 2),
        Map.of("LANG", "C"),
        Json.mapper().createObjectNode().put("plan", 1),
        Map.of(
            "workspace", Manifest.Contribution.OK, "git", Manifest.Contribution.failed("no git")),
        null,
        null);
  }
}
