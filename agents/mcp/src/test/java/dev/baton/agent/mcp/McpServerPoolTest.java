/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.McpAccess;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.protocol.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers as processes: state, deaths, hangs, bounds. */
class McpServerPoolTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  void shouldContinueWithTheStateThatTheServerOffers() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec counter = rig.program("count", McpTestServerMain.command("checkpoint"));
    try (McpServerPool pool = rig.start(counter);
        McpClient client = McpRig.connect(pool, "count")) {
      assertThat(McpRig.call(client, "add", 5)).isEqualTo("counter is 5");
      assertThat(pool.capture()).isEqualTo(Map.of("count", Optional.empty()));
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 6");
    }

    try (McpServerPool pool = rig.start(counter);
        McpClient client = McpRig.connect(pool, "count")) {
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 6");
    }

    assertThat(rig.notes).isEmpty();
    assertThat(
            McpStateFolder.isState(
                Path.of(".baton-mcp/count/state.json"), Map.of("count", List.of())))
        .isTrue();
  }

  @Test
  void shouldKeepDeclaredFiles() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec counter =
        rig.program(
            "kept", McpTestServerMain.command("file=" + rig.files("kept").resolve("n.txt")));
    try (McpServerPool pool = rig.start(counter);
        McpClient client = McpRig.connect(pool, "kept")) {
      assertThat(McpRig.call(client, "add", 5)).isEqualTo("counter is 5");
      assertThat(pool.capture()).isEqualTo(Map.of("kept", Optional.empty()));
    }

    assertThat(rig.files("kept").resolve("n.txt")).hasContent("5");
    Map<String, List<String>> declared = Map.of("kept", List.of("*.txt"));
    assertThat(McpStateFolder.isState(Path.of(".baton-mcp/kept/files/n.txt"), declared)).isTrue();
    assertThat(McpStateFolder.isState(Path.of(".baton-mcp/kept/files/n.log"), declared)).isFalse();
    assertThat(McpStateFolder.isState(Path.of(".baton-mcp/other/files/n.txt"), declared)).isFalse();
  }

  @Test
  void shouldStartADeadServerAgainAndRepeatNothing() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    Path ledger = folder.resolve("ledger");
    McpServerSpec counter =
        rig.program(
            "count",
            McpTestServerMain.command("checkpoint"),
            Duration.ofSeconds(30),
            Map.of("LEDGER", ledger.toString()));
    try (McpServerPool pool = rig.start(counter);
        McpClient client = McpRig.connect(pool, "count")) {
      McpRig.call(client, "add", 5);
      pool.capture();

      assertThatThrownBy(() -> McpRig.call(client, "crash", 2))
          .isInstanceOf(McpException.class)
          .hasMessageContaining("ended with exit code 3")
          .hasMessageContaining("whether the request took effect is unknown");

      assertThat(McpRig.call(client, "add", 1))
          .as("the state of the newest capture")
          .isEqualTo("counter is 6");
      assertThat(Files.readAllLines(ledger)).containsExactly("+5", "+2", "+1");
    }
    assertThat(rig.notes)
        .singleElement()
        .asString()
        .contains("ended with exit code 3", "starting it again (1 of 3)");
  }

  @Test
  void shouldGiveUpAServerThatDiesAgainAndAgain() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec broken = rig.program("broken", List.of("/bin/sh", "-c", "exit 7"));
    McpServerSpec missing = rig.program("missing", List.of("/no/such/program"));
    McpServerSpec good = rig.program("good", McpTestServerMain.command());
    try (McpServerPool pool = rig.start(broken, missing, good)) {
      assertThatThrownBy(() -> McpRig.connect(pool, "broken"))
          .isInstanceOf(McpException.class)
          .hasMessageContaining("server 'broken' has failed after 4 starts")
          .hasMessageContaining("exit code 7");
      assertThatThrownBy(() -> McpRig.connect(pool, "missing"))
          .isInstanceOf(McpException.class)
          .hasMessageContaining("/no/such/program");
      try (McpClient client = McpRig.connect(pool, "good")) {
        assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 1");
      }
      Map<String, Optional<String>> captured = pool.capture();
      assertThat(captured.get("broken")).isPresent();
      assertThat(captured.get("good")).isEmpty();
    }
  }

  @Test
  void shouldNotWaitForAServerThatHangsWhileItIsCaptured() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec hung = rig.program("hung", McpTestServerMain.command("checkpoint", "hang"));
    try (McpServerPool pool = rig.start(hung);
        McpClient client = McpRig.connect(pool, "hung")) {
      McpRig.call(client, "add", 5);
      assertThat(pool.capture())
          .isEqualTo(Map.of("hung", Optional.of("it has not answered within 5 s")));
      long begun = System.nanoTime();
      assertThat(pool.capture())
          .isEqualTo(
              Map.of(
                  "hung", Optional.of("it has not answered the request of an earlier boundary")));
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun)).isLessThan(4);
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 6");
    }
    assertThat(rig.notes).hasSize(2).allMatch(note -> note.contains("was not captured"));
  }

  @Test
  void shouldKeepAStateThatWasNotRestored() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec good = rig.program("count", McpTestServerMain.command("checkpoint"));
    try (McpServerPool pool = rig.start(good);
        McpClient client = McpRig.connect(pool, "count")) {
      McpRig.call(client, "add", 5);
      pool.capture();
    }

    McpServerSpec refusing =
        rig.program("count", McpTestServerMain.command("checkpoint", "refuse"));
    try (McpServerPool pool = rig.start(refusing);
        McpClient client = McpRig.connect(pool, "count")) {
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 1");
      assertThat(pool.capture().toString()).contains("not restored", "the state is refused");
    }

    try (McpServerPool pool = rig.start(good);
        McpClient client = McpRig.connect(pool, "count")) {
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 6");
    }
  }

  @Test
  void shouldEndACallAtTheTimeoutOfItsServer() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec slow =
        rig.program("slow", McpTestServerMain.command(), Duration.ofSeconds(1), Map.of());
    try (McpServerPool pool = rig.start(slow);
        McpClient client = McpRig.connect(pool, "slow")) {
      assertThatThrownBy(() -> McpRig.call(client, "wait", 60_000))
          .isInstanceOf(McpException.class)
          .hasMessageContaining("has not answered within 1 s");
      assertThat(McpRig.call(client, "add", 1)).isEqualTo("counter is 1");
    }
  }

  @Test
  void shouldServeSeveralCallersWithOneProcess() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    McpServerSpec counter = rig.program("count", McpTestServerMain.command());
    try (McpServerPool pool = rig.start(counter);
        McpClient one = McpRig.connect(pool, "count");
        McpClient other = McpRig.connect(pool, "count")) {
      CompletableFuture<String> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return McpRig.call(one, "wait", 2);
                } catch (Exception e) {
                  return e.toString();
                }
              });
      assertThat(McpRig.call(other, "add", 1)).isEqualTo("counter is 1");
      assertThat(McpRig.call(other, "add", 1)).isEqualTo("counter is 2");
      assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("waited");
      assertThat(McpRig.call(one, "add", 1)).isEqualTo("counter is 3");
    }
  }

  @Test
  void shouldHideTheToolThatRestores() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    try (McpServerPool pool =
            rig.start(rig.program("count", McpTestServerMain.command("checkpoint")));
        McpClient client = McpRig.connect(pool, "count")) {
      assertThat(client.tools())
          .extracting(McpClient.Tool::name)
          .containsExactly("add", "crash", "wait");
      assertThatThrownBy(() -> McpRig.call(client, "restore_checkpoint", 1))
          .isInstanceOf(McpException.class)
          .hasMessageContaining("is not for agents");
    }
  }

  @Test
  void shouldOfferAServerThatSomethingElseRuns() throws Exception {
    McpRig rig = new McpRig(Files.createDirectories(folder));
    try (McpServerPool elsewhere =
        rig.start(rig.program("count", McpTestServerMain.command("checkpoint")))) {
      McpAccess.Http at = McpRig.access(elsewhere, "count");
      McpServerSpec remote =
          new McpServerSpec(
              "remote",
              new McpServerSpec.Remote(at.url(), at.headers(), TlsSettings.NONE),
              Duration.ofSeconds(20));
      try (McpServerPool pool = rig.start(remote);
          McpClient client = McpRig.connect(pool, "remote")) {
        assertThat(McpRig.call(client, "add", 2)).isEqualTo("counter is 2");
        assertThat(client.tools()).hasSize(3);
      }
    }
  }

  @Test
  void shouldDoNothingWithoutServers() throws Exception {
    try (McpServerPool pool = new McpRig(folder).start()) {
      assertThat(pool.accesses()).isEmpty();
      assertThat(pool.capture()).isEmpty();
    }
  }
}
