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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoint commands against recorded responses. */
class CheckpointCommandsTest {
  private static final String RUN = "01jd0000000000000000abcdef";
  private static final String ID = "01jd0000000000000000ckpt01";

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

  private static String checkpoint(String id, Duration age, String verification, String more) {
    return """
        {"id":"%s","run":"%s","project":"default","epoch":1,"step":"build","trigger":"periodic",
         "created_at":"%s","digest":"sha256:00","size_bytes":15000000,"stored_bytes":1200,"pack_bytes":9000000,
         "file_count":234,"pack_count":2,"verification":"%s","pinned":false%s}"""
        .formatted(id, RUN, Instant.now().minus(age), verification, more);
  }

  @Test
  void shouldListCheckpointsAsATable() {
    server.on(
        "GET /checkpoints?run=abcdef&limit=50",
        200,
        "{\"checkpoints\":[%s,%s,%s]}"
            .formatted(
                checkpoint(ID, Duration.ofSeconds(125), "verified", ""),
                checkpoint(ID, Duration.ofHours(3), "pending", ",\"pinned\":true"),
                checkpoint(ID, Duration.ofDays(2), "corrupt", ",\"problem\":\"pack is gone\"")));

    InProcessCli.Result result = cli.run("checkpoint", "list", "ABCDEF");

    assertThat(result.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "ID TRIGGER CREATED SIZE VERIFIED NOTE",
            ID + " periodic 2 minutes ago 15MB ✓ build",
            ID + " periodic 3 hours ago 15MB – pinned; build",
            ID + " periodic 2 days ago 15MB ✗ pack is gone; build");
  }

  @Test
  void shouldListAProjectOverSeveralPages() {
    server.on(
        "GET /checkpoints?project=web&limit=2",
        200,
        "{\"checkpoints\":[{\"id\":\"a\"}],\"next_cursor\":\"x\"}");
    server.on(
        "GET /checkpoints?project=web&limit=1&cursor=x", 200, "{\"checkpoints\":[{\"id\":\"b\"}]}");

    InProcessCli.Result result =
        cli.run("checkpoint", "list", "--project", "web", "--limit", "2", "-ojson");

    assertThat(tree(result.out()).path("checkpoints").findValuesAsText("id"))
        .containsExactly("a", "b");
  }

  @Test
  void shouldShowACheckpointWithItsManifest() {
    server.on(
        "GET /checkpoints/ckpt01?project=web",
        200,
        checkpoint(
            ID,
            Duration.ofSeconds(5),
            "verified",
            """
            ,"size_bytes":230000000,"manifest":{"git":{"branch":"main","head":"0123abcd","dirty":true,"has_stash":true},
             "workspace":{"uncommitted_files":["src/a.py"],"skipped":[{"path":"run.sock","reason":"special_file"}],"skipped_count":1},
             "contributors":{"workspace":{"status":"ok"},"tmux":{"status":"failed","error":"no server"}}}"""));

    InProcessCli.Result result = cli.run("checkpoint", "show", "CKPT01", "--project", "web");

    assertThat(result.out())
        .contains(
            ID, RUN, "5 seconds ago", "234, 230MB, of which 1.2KB were new; in 2 packs of 9.0MB")
        .contains("warning: the workspace has 230MB, more than 100MB")
        .contains("main at 0123abcd, uncommitted changes, stash")
        .contains("src/a.py", "1: run.sock (special_file)", "tmux: no server", "✓ verified");
  }

  @Test
  void shouldPinWithAReasonAndUnpin() {
    server.on("PUT /checkpoints/ckpt01/pin", 200, checkpoint(ID, Duration.ZERO, "verified", ""));
    server.on("DELETE /checkpoints/ckpt01/pin", 200, checkpoint(ID, Duration.ZERO, "verified", ""));

    InProcessCli.Result pinned = cli.run("checkpoint", "pin", "ckpt01", "--reason", "release");
    InProcessCli.Result unpinned = cli.run("checkpoint", "unpin", "ckpt01");

    assertThat(pinned.out()).isEqualTo("checkpoint " + ID + " is pinned\n");
    assertThat(unpinned.out()).isEqualTo("checkpoint " + ID + " is not pinned\n");
    assertThat(server.requests().getFirst().body())
        .isEqualTo("{\"reason\":\"release\",\"by\":\"ann\"}");
  }

  @Test
  void shouldTellByTheExitCodeWhetherACheckpointIsWhole() {
    server.on(
        "POST /checkpoints/ckpt01/verify",
        200,
        "{\"id\":\"" + ID + "\",\"verified\":true,\"findings\":[],\"packs\":2,\"bytes\":9000000}");
    server.on(
        "POST /checkpoints/ckpt02/verify",
        200,
        """
        {"id":"x","verified":false,"packs":1,"bytes":10,
         "findings":[{"pack":"sha256:12","what":"another digest","checkpoints":["a","b"],"runs":["r"]}]}""");

    InProcessCli.Result whole = cli.run("checkpoint", "verify", "ckpt01");
    InProcessCli.Result broken = cli.run("checkpoint", "verify", "ckpt02");

    assertThat(whole.code()).isZero();
    assertThat(whole.out()).isEqualTo("✓ checkpoint " + ID + " is intact (2 packs, 9.0MB)\n");
    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.out())
        .isEqualTo(
            """
            ✗ checkpoint x cannot be restored (1 packs, 10B)
              pack sha256:12: another digest (hurts 2 checkpoints)
            """);
  }

  @Test
  void shouldCreateACheckpointWithATreeOfWhatIsInIt() {
    server.on("POST /runs/abcdef/checkpoints", 201, "{\"id\":\"" + ID + "\"}");
    server.on(
        "GET /checkpoints/" + ID,
        200,
        checkpoint(
            ID,
            Duration.ZERO,
            "pending",
            """
            ,"manifest":{"contributors":{"workspace":{"status":"ok"},"git":{"status":"ok"},
              "tmux":{"status":"failed","error":"no server"}}}"""));
    server.on("POST /checkpoints/" + ID + "/verify", 200, "{\"verified\":true,\"bytes\":9000000}");

    InProcessCli.Result result = cli.run("checkpoint", "create", "abcdef");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .isEqualTo(
            """
            Creating manual checkpoint...
              ├── Snapshotting workspace... done (15MB)
              ├── Reading git state... done
              ├── Saving tmux layout... done (without it: no server)
              └── Verifying checkpoint... done (9.0MB read)

            Checkpoint %s created.
            """
                .formatted(ID));
    assertThat(server.requests().getFirst().body()).isEqualTo("{\"trigger\":\"manual\"}");
  }

  @Test
  void shouldCountTheConversationAndTheScreenOfANewCheckpoint() {
    server.on("POST /runs/abcdef/checkpoints", 201, "{\"id\":\"" + ID + "\"}");
    server.on(
        "GET /checkpoints/" + ID,
        200,
        checkpoint(
            ID,
            Duration.ZERO,
            "pending",
            """
            ,"manifest":{"contributors":{"tmux":{"status":"ok","counts":{"panes":3,"windows":1}},
              "mcp:files":{"status":"ok"},"workspace":{"status":"ok"},
              "conversation":{"status":"ok","counts":{"messages":12}}}}"""));

    InProcessCli.Result text = cli.run("checkpoint", "create", "abcdef", "--no-verify");
    InProcessCli.Result json = cli.run("checkpoint", "create", "abcdef", "--no-verify", "-ojson");

    assertThat(text.out())
        .startsWith(
            """
            Creating manual checkpoint...
              ├── Snapshotting workspace... done (15MB)
              ├── Capturing conversation state... done (12 messages)
              ├── Saving tmux layout... done (1 window, 3 panes)
              ├── Saving mcp:files... done
              └── Storing checkpoint... done (1.2KB)
            """);
    JsonNode parts = tree(json.out()).path("manifest").path("contributors");
    assertThat(parts.at("/conversation/counts/messages").asInt()).isEqualTo(12);
    assertThat(parts.at("/tmux/counts/panes").asInt()).isEqualTo(3);
  }

  @Test
  void shouldWaitForACheckpointThatTakesLonger() {
    server.on(
        "POST /runs/abcdef/checkpoints", 202, "{\"id\":\"" + ID + "\",\"status\":\"pending\"}");
    server.on(
        "GET /checkpoints/" + ID,
        404,
        "{\"title\":\"Not found\",\"status\":404,\"detail\":\"no\"}");
    server.on("GET /checkpoints/" + ID, 200, checkpoint(ID, Duration.ZERO, "pending", ""));

    InProcessCli.Result result = cli.run("checkpoint", "create", "abcdef", "--no-verify", "-ojson");

    assertThat(result.code()).isZero();
    assertThat(tree(result.out()).path("id").asText()).isEqualTo(ID);
    assertThat(server.requests()).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"409,5", "502,1", "503,6"})
  void shouldTellFailuresOfACheckpointApart(int status, int code) {
    server.on(
        "POST /runs/abcdef/checkpoints",
        status,
        "{\"title\":\"It is so\",\"status\":" + status + ",\"detail\":\"for a reason\"}");

    InProcessCli.Result result = cli.run("checkpoint", "create", "abcdef");

    assertThat(result.code()).isEqualTo(code);
    assertThat(result.out()).contains("Snapshotting workspace... failed");
    assertThat(result.err()).isEqualTo("baton: It is so: for a reason\n");
  }

  @Test
  void shouldDeleteARunAndShowTheProof() {
    server.on(
        "DELETE /runs/abcdef?now=true",
        200,
        """
        {"run":"%s","deleted":{"rows":3,"events":40,"checkpoints":2,"bytes":9000000},
         "left":{"rows":0,"events":0},"packs_waiting":1,"packs_waiting_bytes":500}"""
            .formatted(RUN));
    server.on("DELETE /runs/bbbbbb", 200, "{\"run\":\"b\",\"deleted\":{},\"left\":{\"events\":1}}");

    InProcessCli.Result gone = cli.run("delete", "abcdef", "--now");
    InProcessCli.Result left = cli.run("delete", "bbbbbb");

    assertThat(gone.code()).isZero();
    assertThat(gone.out())
        .isEqualTo(
            """
            run %s is gone: 3 rows, 40 events, 2 checkpoints, 9.0MB deleted, nothing left
            1 packs (500B) are deleted after the grace period; --now deletes them at once
            """
                .formatted(RUN));
    assertThat(left.code()).isEqualTo(1);
    assertThat(left.out()).startsWith("run b is not gone: nothing deleted, 1 events left");
  }

  @Test
  void shouldStartARunFromACheckpoint() {
    server.on("GET /checkpoints/ckpt01", 200, "{\"id\":\"%s\",\"run\":\"%s\"}".formatted(ID, RUN));
    server.on("POST /runs/" + RUN + "/fork", 201, "{\"id\":\"%s\"}".formatted(RUN));

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--run", "--detach");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).startsWith("run " + RUN + " started");
    assertThat(server.requests().getLast().body())
        .isEqualTo("{\"checkpoint\":\"%s\"}".formatted(ID));
  }

  /** A run from a checkpoint whose events are a page for each of the given lists. */
  private void onRestore(String manifest, String... pages) {
    server.on(
        "GET /checkpoints/ckpt01",
        200,
        checkpoint(ID, Duration.ZERO, "verified", ",\"manifest\":" + manifest));
    server.on("POST /runs/" + RUN + "/fork", 201, "{\"id\":\"%s\"}".formatted(RUN));
    long after = 0;
    for (String page : pages) {
      String events = "GET /runs/%s/events?after=%d&limit=1000".formatted(RUN, after++);
      server.on(events, 200, "{\"events\":[]}");
      server.on(
          events, 200, "{\"events\":[{\"position\":%d,\"id\":\"x\",%s}]}".formatted(after, page));
    }
  }

  private static final String STARTED = "\"type\":\"runner_started\",\"data\":{\"runner\":\"r1\"}";

  @Test
  void shouldShowWhatARunFromACheckpointRestores() {
    onRestore(
        """
        {"trigger":"turn","run":{"step":"work"},"agent":{"use":"claude"},
         "contributors":{"tmux":{"status":"ok","counts":{"windows":2,"panes":3}}}}""",
        STARTED,
        """
        "type":"agent_session_created","data":{"step":"work","agent":"explorer","session":"sub","parent":"s"}""",
        """
        "type":"agent_session_created","data":{"step":"work","agent":"claude","session":"0b1f",
          "resumed":true,"screen":{"windows":2,"panes":3}}""");

    InProcessCli.Result text = cli.run("checkpoint", "restore", "ckpt01", "--run");
    InProcessCli.Result json = cli.run("checkpoint", "restore", "ckpt01", "--run", "-ojson");

    assertThat(text.code()).as(text.err()).isZero();
    assertThat(text.out())
        .startsWith(
            """
            Restoring checkpoint %s in run %s...
              ├── Restoring workspace (15MB)... done
              ├── Recreating tmux session... done (2 windows, 3 panes)
              └── Resuming claude... done (session 0b1f)
            run %s started
            """
                .formatted(ID, RUN, RUN));
    JsonNode restored = tree(json.out()).path("restored");
    assertThat(restored.path("screen").path("windows").asInt()).isEqualTo(2);
    assertThat(restored.path("agent").path("session").asText()).isEqualTo("0b1f");
    assertThat(restored.path("runner").asText()).isEqualTo("r1");
  }

  @Test
  void shouldShowOnlyFilesWhereNoAgentContinues() {
    onRestore(
        """
        {"trigger":"manual","run":{},"agent":{"use":"claude"},
         "contributors":{"tmux":{"status":"ok"}}}""",
        STARTED);

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--run");

    assertThat(result.out())
        .contains("  └── Restoring workspace (15MB)... done\n")
        .doesNotContain("tmux", "Resuming");
  }

  @Test
  void shouldNameTheReasonOfANewSessionAndOfAnEmptyScreen() {
    onRestore(
        """
        {"trigger":"turn","run":{"step":"work"},"agent":{"use":"claude"},
         "contributors":{"tmux":{"status":"ok"}}}""",
        STARTED,
        """
        "type":"agent_session_created","data":{"step":"work","agent":"claude","session":"0b1f",
          "degraded":"the transcript is torn"}""");

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--run");

    assertThat(result.out())
        .contains(
            "Recreating tmux session... done (an empty one; the log of the step has the reason)")
        .contains("Resuming claude... done (in the new session 0b1f: the transcript is torn)");
  }

  @Test
  void shouldFailWhereTheRunEndsBeforeItHasRestoredTheCheckpoint() {
    onRestore("{}", "\"type\":\"run_failed\",\"data\":{}");

    InProcessCli.Result result = cli.run("checkpoint", "restore", "ckpt01", "--run");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("Restoring workspace (15MB)... failed");
    assertThat(result.err()).contains("run " + RUN + " has the event run_failed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          checkpoint                              | a subcommand is missing; allowed: list, show
          checkpoint show abc                     | the last six or more
          checkpoint list --limit 0               | 1 to 100000
          checkpoint restore ckpt01               | --to DIR is missing
          checkpoint restore ckpt01 --run --to x  | cannot be combined
          checkpoint restore ckpt01 --to x --max-bytes -1 | 0 or more
          checkpoint create abcdef --trigger odd  | manual, detach
          """)
  void shouldRefuseWrongArgumentsInOneLine(String line, String hint) {
    InProcessCli.Result result = cli.run(line.split(" "));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).startsWith("baton: ").contains(hint.strip());
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list", "show", "create", "verify", "restore", "diff", "export", "import", "pin", "unpin"
      })
  void shouldDescribeEveryCommandWithAnExample(String command) {
    InProcessCli.Result result = cli.run("checkpoint", command, "--help");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("Usage: baton checkpoint " + command, "Example", "--output", "Exit codes:");
  }

  @Test
  void shouldNameTheCandidatesOfAnAmbiguousId() {
    server.on(
        "GET /checkpoints/ckpt01",
        409,
        "{\"title\":\"Ambiguous\",\"status\":409,\"detail\":\"two\",\"candidates\":[\"a\",\"b\"]}");

    InProcessCli.Result result = cli.run("checkpoint", "show", "ckpt01");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err().lines()).containsExactly("baton: Ambiguous: two", "  a", "  b");
  }

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }
}
