/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.format.Hash;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An exported checkpoint can be imported, unless it was modified. */
class CheckpointImportCommandTest {
  private static final String ID = "01jd0000000000000000ckpt01";

  @TempDir Path folder;
  private StubServer server;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    cli = InProcessCli.against(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Path export(String name) throws Exception {
    SmallTree tree = SmallTree.of(ID, Map.of("a.txt", "hello", "sub/c.txt", "deep"));
    Path to = folder.resolve(name);
    try (PackServer packs = new PackServer(tree.packs())) {
      server.on("GET /checkpoints/" + ID + "/packs", 200, tree.opened(packs.url()));
      assertThat(cli.run("checkpoint", "export", ID, "--to", to.toString()).code()).isZero();
    }
    return to;
  }

  @Test
  void shouldStoreAnExportAsACheckpointOfANewRun() throws Exception {
    try (ImportServer target = new ImportServer()) {
      Path from = export("handover.tar");

      InProcessCli.Result result = target.cli().run("checkpoint", "import", from.toString());

      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out())
          .contains(
              "├── Checking files... done\n",
              "├── Storing workspace... done (9B,",
              "└── Committing manifest... done\n",
              "Checkpoint " + target.committed().path("id").asText() + " of run ");
      JsonNode manifest = target.committed();
      assertThat(ManifestCodec.read(Json.bytes(manifest)).trigger().word()).isEqualTo("import");
      assertThat(manifest.at("/imported_from/id").asText()).isEqualTo(ID);
      assertThat(manifest.at("/session_state/plan/0").asInt()).isEqualTo(1);
      assertThat(manifest.at("/environment/LANG").asText()).isEqualTo("C.UTF-8");
      assertThat(manifest.at("/workspace/file_count").asInt()).isEqualTo(2);
      assertThat(manifest.at("/workspace/packs")).hasSize(target.objects().size());
      assertThat(target.lines()).contains("POST /runs/" + ImportServer.RUN + "/cancel");
      assertThat(target.lines())
          .anyMatch(line -> line.matches("PUT /checkpoints/[0-9a-z]{26}/pin"));
    }
  }

  @Test
  void shouldGiveBackTheConversationThatItHasTakenIn() throws Exception {
    Path from = export("handover");
    JsonNode conversation =
        tree(
            """
            {"agent": "claude", "session_id": "s-1", "turn_count": 2, "tokens_used": 30,
             "form": "anthropic-messages", "model": "m", "system_prompt": "Be brief.",
             "messages": [{"role": "user", "content": "Go."},
               {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]}
            """);
    Files.write(from.resolve("conversation.json"), Json.bytes(conversation));
    ObjectNode manifest = (ObjectNode) Json.tree(Files.readAllBytes(from.resolve("manifest.json")));
    manifest.remove("checksums");
    Files.write(from.resolve("manifest.json"), Json.bytes(manifest));

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result imported = target.cli().run("checkpoint", "import", from.toString());
      assertThat(imported.code()).as(imported.err()).isZero();

      JsonNode again = tree(Files.readString(exported(target).resolve("conversation.json")));

      assertThat(again.path("messages")).isEqualTo(conversation.path("messages"));
      for (String name : List.of("agent", "session_id", "turn_count", "system_prompt", "model")) {
        assertThat(again.path(name)).as(name).isEqualTo(conversation.path(name));
      }
    }
  }

  private static final String SCREEN =
      """
      baton screen 1
      window 0 active b25d,80x24,0,0,0
      pane 0 program active 11
      \033[31mhello
      """;

  private Path exportWithScreen(String screen) throws Exception {
    Path from = export("handover");
    Files.writeString(from.resolve("tmux_state.txt"), screen);
    ObjectNode manifest = (ObjectNode) Json.tree(Files.readAllBytes(from.resolve("manifest.json")));
    manifest.remove("checksums");
    Files.write(from.resolve("manifest.json"), Json.bytes(manifest));
    return from;
  }

  @Test
  void shouldGiveBackTheScreenThatItHasTakenIn() throws Exception {
    Path from = exportWithScreen(SCREEN);

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result imported = target.cli().run("checkpoint", "import", from.toString());
      assertThat(imported.code()).as(imported.err()).isZero();
      assertThat(imported.out()).contains("├── Storing screen... done");
      assertThat(target.committed().at("/contributors/tmux/counts/panes").asInt()).isOne();

      assertThat(exported(target).resolve("tmux_state.txt")).hasContent(SCREEN);
    }
  }

  @Test
  void shouldNameAScreenThatCannotBeRead() throws Exception {
    Path from = exportWithScreen(SCREEN.replace("80x24", "81x24"));

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result refused = target.cli().run("checkpoint", "import", from.toString());

      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err())
          .contains("tmux_state.txt cannot be read: line 2 has a malformed layout");
    }
  }

  @Test
  void shouldNameAConversationThatCannotBeRead() throws Exception {
    Path from = export("handover");
    Files.writeString(
        from.resolve("conversation.json"),
        "{\"messages\": [], \"replaced\": [{\"from\": 9, \"messages\": []}]}");
    ObjectNode manifest = (ObjectNode) Json.tree(Files.readAllBytes(from.resolve("manifest.json")));
    manifest.remove("checksums");
    Files.write(from.resolve("manifest.json"), Json.bytes(manifest));

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result result = target.cli().run("checkpoint", "import", from.toString());

      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("conversation.json", "replaced[0].from");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "workspace, 5, the manifest's workspace is not a JSON object",
    "workspace, [], the manifest's workspace is not a JSON object",
    "contributors, true, the manifest's contributors is not a JSON object",
    "conversation, '\"x\"', the manifest's conversation is not a JSON object",
    "git, 3, git must be an object",
    "contributors, '{\"files\": 5}', contributors.files must be an object",
  })
  void shouldNameAMemberOfTheManifestThatCannotBeRead(String name, String value, String problem)
      throws Exception {
    Path from = export("handover");
    ObjectNode manifest = (ObjectNode) Json.tree(Files.readAllBytes(from.resolve("manifest.json")));
    manifest.remove("checksums");
    manifest.set(name, tree(value));
    Files.write(from.resolve("manifest.json"), Json.bytes(manifest));

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result result = target.cli().run("checkpoint", "import", from.toString());

      assertThat(result.code()).as(result.err()).isEqualTo(2);
      assertThat(result.err()).contains(problem);
    }
  }

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  /** Exports what was imported, from the packs that the server has received. */
  private Path exported(ImportServer target) throws Exception {
    Map<Hash, byte[]> objects = new HashMap<>();
    target.objects().forEach((digest, bytes) -> objects.put(Hash.parse(digest), bytes));
    Path to = folder.resolve("again");
    try (PackServer packs = new PackServer(objects)) {
      ObjectNode answer = Json.mapper().createObjectNode();
      String id = target.committed().path("id").asText();
      answer.put("id", id).set("manifest", target.committed());
      for (JsonNode pack : target.committed().at("/workspace/packs")) {
        answer
            .withArray("packs")
            .addObject()
            .<ObjectNode>setAll((ObjectNode) pack)
            .put("get_url", packs.url() + "/" + Hash.parse(pack.path("digest").asText()).hex());
      }
      server.on("GET /checkpoints/" + id + "/packs", 200, answer.toString());
      InProcessCli.Result result = cli.run("checkpoint", "export", id, "--to", to.toString());
      assertThat(result.code()).as(result.err()).isZero();
    }
    return to;
  }

  @Test
  void shouldEndTheNewRunWhenItsFilesCannotBeStored() throws Exception {
    try (ImportServer target = new ImportServer()) {
      target.refuse();

      InProcessCli.Result result =
          target.cli().run("checkpoint", "import", export("handover").toString());

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err()).contains("the import failed, nothing was changed");
      assertThat(target.lines()).contains("POST /runs/" + ImportServer.RUN + "/cancel");
    }
  }

  @Test
  void shouldRefuseWhatHasBeenChanged() throws Exception {
    Path from = export("handover");
    Files.writeString(from.resolve("session_state.json"), "{\"plan\":[2]}");

    InProcessCli.Result state = cli.run("checkpoint", "import", from.toString());
    Files.writeString(
        from.resolve("manifest.json"),
        Files.readString(from.resolve("manifest.json")).replace("manual", "error"));
    InProcessCli.Result manifest = cli.run("checkpoint", "import", from.toString());
    Files.delete(from.resolve("workspace.tar.zst"));
    InProcessCli.Result missing = cli.run("checkpoint", "import", from.toString());

    assertThat(state.code()).isEqualTo(2);
    assertThat(state.err())
        .contains("session_state.json does not match its checksum in the manifest");
    assertThat(manifest.code()).isEqualTo(2);
    assertThat(manifest.err()).contains("the manifest does not match its checksum");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("it has no file workspace.tar.zst");
  }

  @Test
  void shouldTakeStateOfServersOfAnyNameInATar() throws Exception {
    Path from = export("handover");
    Files.writeString(from.resolve("mcp_state/a..b.json"), "{}");
    Path tar = folder.resolve("handover.tar");
    Process process =
        new ProcessBuilder("tar", "-cf", tar.toString(), "-C", from.toString(), ".").start();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();

    try (ImportServer target = new ImportServer()) {
      InProcessCli.Result result = target.cli().run("checkpoint", "import", tar.toString());

      assertThat(result.code()).as(result.err()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../manifest.json",
        "mcp_state/..",
        "mcp_state/../manifest.json",
        "mcp_state/a/b.json",
        "/manifest.json",
        "other.sh"
      })
  void shouldTakeNothingElseOfATar(String name) throws Exception {
    Path tar = folder.resolve("odd.tar");
    try (TarArchiveOutputStream out = new TarArchiveOutputStream(Files.newOutputStream(tar))) {
      out.putArchiveEntry(new TarArchiveEntry(name, TarConstants.LF_NORMAL, true));
      out.closeArchiveEntry();
    }

    InProcessCli.Result result = cli.run("checkpoint", "import", tar.toString());

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("it has '" + name + "', which is not allowed in an exported");
  }

  @Test
  void shouldSayWhatIsNoExport() throws Exception {
    Path odd = Files.writeString(folder.resolve("odd"), "x".repeat(2000), StandardCharsets.UTF_8);

    assertThat(cli.run("checkpoint", "import", odd.toString()).err())
        .contains("is neither a folder nor a tar of one");
    assertThat(cli.run("checkpoint", "import", "/nowhere").err())
        .contains("no such file or directory: '/nowhere'");
    assertThat(cli.run("checkpoint", "import", folder.toString()).err())
        .contains("is not an exported checkpoint: it has no file manifest.json");
  }
}
