/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.format.Hash;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores the files of a checkpoint over real HTTP. */
class CheckpointRestoreCommandTest {
  private static final String ID = "01jd0000000000000000ckpt01";

  @TempDir Path folder;
  private SmallTree tree;
  private StubServer server;
  private PackServer packs;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    tree = SmallTree.of(ID, Map.of("a.txt", "hello", "b.txt", "world!", "sub/c.txt", "deep"));
    server = new StubServer();
    packs = new PackServer(tree.packs());
    cli = InProcessCli.against(server);
    server.on("GET /checkpoints/ckpt01/packs", 200, tree.opened(packs.url()));
    server.on("GET /checkpoints/" + ID + "/packs", 200, tree.opened(packs.url()));
  }

  @AfterEach
  void stop() {
    server.close();
    packs.close();
  }

  @Test
  void shouldPutTheFilesIntoAFreshDirectory() throws Exception {
    Path to = folder.resolve("new/place");

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--to", to.toString());

    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    assertThat(result.out())
        .startsWith(
            "Restoring checkpoint " + ID + "...\n  └── Restoring workspace (15B)... done (3 files,")
        .endsWith("\nCheckpoint " + ID + " restored to " + to + ".\n");
    assertThat(to.resolve("a.txt")).hasContent("hello");
    assertThat(to.resolve("sub/c.txt")).hasContent("deep");
    assertThat(Files.getLastModifiedTime(to.resolve("b.txt")))
        .isEqualTo(FileTime.from(Instant.ofEpochSecond(1_700_000_000L, 123_456_789)));
  }

  @Test
  void shouldLeaveWhatIsThereUnlessToldToReplaceIt() throws Exception {
    Path to = Files.createDirectory(folder.resolve("mine"));
    Files.writeString(to.resolve("precious"), "x");

    InProcessCli.Result refused = cli.run("checkpoint", "restore", "ckpt01", "--to", to.toString());
    assertThat(refused.code()).isEqualTo(5);
    assertThat(refused.err()).contains("is not empty", "--force");
    assertThat(to.resolve("precious")).exists();

    InProcessCli.Result forced =
        cli.run("checkpoint", "restore", "ckpt01", "--to", to.toString(), "--force", "-ojson");
    assertThat(forced.code()).isZero();
    JsonNode result = tree(forced.out());
    assertThat(result.path("file_count").asInt()).isEqualTo(3);
    assertThat(result.path("digest").asText()).isEqualTo(tree.root().toString());
    assertThat(names(to)).containsExactlyInAnyOrder("a.txt", "b.txt", "sub");
    assertThat(names(folder)).containsExactly("mine");
  }

  @Test
  void shouldGoOnOverFailuresOfTheObjectStore() {
    packs.failures.addAll(List.of(503, 500, 429));
    Path to = folder.resolve("out");

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--to", to.toString());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(to.resolve("a.txt")).hasContent("hello");
    assertThat(packs.requests.get()).isGreaterThan(3);
  }

  @Test
  void shouldAskForNewAddressesWhenTheyHaveRunOut() {
    packs.failures.add(403);

    InProcessCli.Result result =
        cli.run("checkpoint", "restore", "ckpt01", "--to", folder.resolve("out").toString());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void shouldTakeAWholeObjectWhereRangesAreIgnored() {
    packs.whole = true;

    InProcessCli.Result result =
        cli.run("checkpoint", "restore", "ckpt01", "--to", folder.resolve("out").toString());

    assertThat(result.code()).as(result.err()).isZero();
  }

  @Test
  void shouldGiveUpOnAStoreThatKeepsFailingAndLeaveNothing() throws Exception {
    for (int i = 0; i < 1000; i++) {
      packs.failures.add(500);
    }

    InProcessCli.Result result =
        cli.run("checkpoint", "restore", "ckpt01", "--to", folder.resolve("out").toString());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("nothing was changed", "answered 500");
    assertThat(result.out()).contains("Restoring workspace (15B)... failed");
    assertThat(names(folder)).isEmpty();
  }

  @Test
  void shouldRefuseAPackThatIsNotWhatItsNameSays() throws Exception {
    Map<Hash, byte[]> spoiled = new HashMap<>();
    tree.packs()
        .forEach(
            (hash, bytes) -> {
              byte[] copy = bytes.clone();
              copy[12] ^= 1;
              spoiled.put(hash, copy);
            });
    try (PackServer bad = new PackServer(spoiled)) {
      server.on("GET /checkpoints/badbad/packs", 200, tree.opened(bad.url()));

      InProcessCli.Result result =
          cli.run("checkpoint", "restore", "badbad", "--to", folder.resolve("out").toString());

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err()).contains("the restore failed, nothing was changed");
    }
    assertThat(names(folder)).isEmpty();
  }

  @Test
  void shouldRefuseAManifestThatHasBeenChanged() {
    server.on(
        "GET /checkpoints/badbad/packs",
        200,
        tree.opened(packs.url()).replace("\"trigger\":\"manual\"", "\"trigger\":\"error\""));

    InProcessCli.Result result =
        cli.run("checkpoint", "restore", "badbad", "--to", folder.resolve("out").toString());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("is broken", "checksum");
  }

  @Test
  void shouldExportWhatPlainToolsCanRead() throws Exception {
    Path to = folder.resolve("handover");

    InProcessCli.Result result = cli.run("checkpoint", "export", "ckpt01", "--to", to.toString());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("├── Packing workspace (15B)... done (", "exported to " + to + ".");
    assertThat(names(to))
        .containsExactlyInAnyOrder(
            "manifest.json",
            "conversation.json",
            "session_state.json",
            "environment.json",
            "workspace.tar.zst",
            "mcp_state");
    assertThat(names(folder)).containsExactly("handover");
    byte[] document = Files.readAllBytes(to.resolve("manifest.json"));
    Manifest manifest = ManifestCodec.read(document);
    assertThat(manifest.id()).isEqualTo(ID);
    JsonNode checksums = Json.tree(document).path("checksums");
    assertThat(checksums.properties()).hasSize(4);
    assertThat(checksums.path("workspace.tar.zst").asText())
        .isEqualTo(FileDigester.of(to.resolve("workspace.tar.zst")));
    assertThat(to.resolve("environment.json")).content().contains("C.UTF-8");
    Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
    run(
        "tar",
        "--zstd",
        "-xf",
        to.resolve("workspace.tar.zst").toString(),
        "-C",
        unpacked.toString());
    assertThat(unpacked.resolve("sub/c.txt")).hasContent("deep");
  }

  @Test
  void shouldExportIntoOneArchive() throws Exception {
    Path to = folder.resolve("handover.tar");

    InProcessCli.Result result =
        cli.run("checkpoint", "export", "ckpt01", "--to", to.toString(), "-ojson");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(tree(result.out()).path("target").asText()).isEqualTo(to.toString());
    assertThat(run("tar", "-tf", to.toString()).lines().toList())
        .startsWith("manifest.json")
        .contains("mcp_state/", "workspace.tar.zst")
        .hasSize(6);
    assertThat(names(folder)).containsExactly("handover.tar");
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }

  private static List<String> names(Path folder) throws Exception {
    try (var content = Files.list(folder)) {
      return content.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldPrintALineForEachPathThatDiffers() throws Exception {
    SmallTree later =
        SmallTree.of(
            "01jd0000000000000000ckpt02",
            Map.of("a.txt", "hello!", "b.txt", "world!", "new/d", ""));
    try (PackServer others = new PackServer(later.packs())) {
      server.on("GET /checkpoints/ckpt02/packs", 200, later.opened(others.url()));

      InProcessCli.Result lines = cli.run("checkpoint", "diff", "ckpt01", "ckpt02");
      InProcessCli.Result json = cli.run("checkpoint", "diff", "ckpt01", "ckpt02", "-ojson");
      InProcessCli.Result same = cli.run("checkpoint", "diff", "ckpt02", "ckpt02");

      assertThat(lines.err()).isEmpty();
      assertThat(lines.out())
          .isEqualTo(
              """
              M a.txt (content)
              A new
              A new/d
              D sub
              D sub/c.txt
              2 added, 2 removed, 1 changed
              """);
      assertThat(tree(json.out()).path("changes").findValuesAsText("path"))
          .containsExactly("a.txt", "new", "new/d", "sub", "sub/c.txt");
      assertThat(tree(json.out()).at("/changes/0/what/0").asText()).isEqualTo("content");
      assertThat(same.out()).isEqualTo("no difference\n");
    }
  }
}
