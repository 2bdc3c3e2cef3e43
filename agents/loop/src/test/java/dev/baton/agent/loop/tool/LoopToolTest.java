/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.LoopSession;
import dev.baton.agent.loop.session.Plan;
import dev.baton.agent.loop.session.Plan.PlanStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools with real files and processes. */
class LoopToolTest {
  private static final ToolLimits LIMITS =
      new ToolLimits(
          1_000, 100_000, 5, Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofSeconds(60));

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private final LoopSession session =
      new LoopSession("id", Instant.EPOCH, null, Map.of(), LoopConversation.SLICES);

  @SuppressWarnings("NullAway.Init")
  private Path workspace;

  @SuppressWarnings("NullAway.Init")
  private LoopToolRegistry tools;

  @BeforeEach
  void prepare() throws Exception {
    workspace = Files.createDirectories(folder.resolve("work"));
    Files.writeString(folder.resolve("secret.txt"), "secret");
    tools = new LoopToolRegistry(workspace, session, LIMITS, List.of());
  }

  private ToolOutput run(String tool, String arguments) throws Exception {
    ToolOutput output = tools.find(tool).orElseThrow().run(ToolArguments.parse(arguments));
    output.events().forEach(session::dispatch);
    return output;
  }

  private void assertRefused(String tool, String arguments, String... texts) {
    assertThatThrownBy(() -> run(tool, arguments))
        .isInstanceOf(ToolFailureException.class)
        .message()
        .contains(texts);
  }

  @Test
  void shouldLetNoPathLeaveTheWorkspace() throws Exception {
    Files.createSymbolicLink(workspace.resolve("out"), folder);
    Files.createSymbolicLink(workspace.resolve("file"), folder.resolve("secret.txt"));
    Files.createSymbolicLink(workspace.resolve("dangling"), folder.resolve("absent"));
    Files.createDirectories(workspace.resolve("sub"));
    Files.createSymbolicLink(workspace.resolve("inside"), workspace.resolve("sub"));
    for (String path :
        new String[] {
          "../secret.txt",
          "/etc/passwd",
          "sub/../../secret.txt",
          "out/secret.txt",
          "out/new.txt",
          "file",
          "out/sub/new.txt"
        }) {
      assertRefused("read_file", "{\"path\":\"" + path + "\"}", path, "outside of the workspace");
      assertRefused(
          "write_file",
          "{\"path\":\"" + path + "\",\"content\":\"x\"}",
          "outside of the workspace");
      assertRefused(
          "edit_file",
          "{\"path\":\"" + path + "\",\"old_text\":\"secret\",\"new_text\":\"x\"}",
          "outside of the workspace");
    }
    assertRefused("write_file", "{\"path\":\"dangling\",\"content\":\"x\"}", "symbolic link");

    run("write_file", "{\"path\":\"inside/deep/a.txt\",\"content\":\"x\"}");
    run("write_file", "{\"path\":\"" + workspace.resolve("b.txt") + "\",\"content\":\"y\"}");

    assertThat(workspace.resolve("sub/deep/a.txt")).hasContent("x");
    assertThat(workspace.resolve("b.txt")).hasContent("y");
    assertThat(folder.resolve("secret.txt")).hasContent("secret");
    assertThat(folder.resolve("absent")).doesNotExist();
    assertThat(run("grep", "{\"pattern\":\"secret\"}").text()).isEqualTo("no match");
  }

  @Test
  void shouldReadLines() throws Exception {
    Files.writeString(workspace.resolve("a.txt"), "one\ntwo\nthree\n");
    Files.write(workspace.resolve("raw"), new byte[] {'a', (byte) 0xfe, 0, '\n'});
    Files.writeString(workspace.resolve("big"), "0123456789\n".repeat(500));

    assertThat(run("read_file", "{\"path\":\"a.txt\",\"first_line\":2,\"lines\":1}").text())
        .isEqualTo("a.txt, 14 bytes\n2\ttwo\n[… more from line 3; read it with first_line …]");
    assertThat(run("read_file", "{\"path\":\"raw\"}").text()).contains("1\ta\ufffd\ufffd\n");
    assertThat(run("read_file", "{\"path\":\"big\"}").text())
        .hasSizeLessThan(1_200)
        .contains("more from line");
    assertThat(run("read_file", "{\"path\":\".\"}").text()).contains("3 entries", "a.txt", "raw");
    assertRefused("read_file", "{\"path\":\"absent\"}", "'absent' does not exist");
    assertRefused("read_file", "{}", "'path' is missing");
    assertRefused("read_file", "{\"path\":\"a.txt\",\"lines\":0}", "1 to 2000 are allowed");
  }

  @Test
  void shouldEditWhatIsUnique() throws Exception {
    Files.writeString(workspace.resolve("a.txt"), "one two two\r\n");
    Files.write(workspace.resolve("raw"), new byte[] {'a', (byte) 0xfe});

    assertRefused(
        "edit_file", "{\"path\":\"a.txt\",\"old_text\":\"two\",\"new_text\":\"2\"}", "2 times");
    assertRefused(
        "edit_file", "{\"path\":\"a.txt\",\"old_text\":\"six\",\"new_text\":\"2\"}", "not contain");
    assertRefused(
        "edit_file", "{\"path\":\"raw\",\"old_text\":\"a\",\"new_text\":\"2\"}", "not UTF-8");
    ToolOutput output =
        run("edit_file", "{\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"1\"}");
    run(
        "edit_file",
        "{\"path\":\"a.txt\",\"old_text\":\"two\",\"new_text\":\"2\",\"replace_all\":true}");

    assertThat(output.files()).containsExactly("a.txt");
    assertThat(Files.readString(workspace.resolve("a.txt"))).isEqualTo("1 2 2\r\n");
  }

  @Test
  void shouldSearchWithBounds() throws Exception {
    Files.createDirectories(workspace.resolve(".git"));
    Files.writeString(workspace.resolve(".git/x"), "needle\n");
    Files.writeString(workspace.resolve("b.java"), "a needle\nnothing\nNEEDLE\n");
    Files.writeString(workspace.resolve("a.txt"), "needle\n");
    Files.write(workspace.resolve("binary"), new byte[] {0, 'n', '\n'});
    Files.writeString(workspace.resolve("slow"), "a".repeat(40) + "b\n");

    assertThat(run("grep", "{\"pattern\":\"ne+dle\"}").text())
        .startsWith("a.txt:1: needle\nb.java:1: a needle\n")
        .contains("[skipped files: 1,");
    assertThat(
            run("grep", "{\"pattern\":\"needle\",\"glob\":\"*.java\",\"ignore_case\":true}").text())
        .isEqualTo("b.java:1: a needle\nb.java:3: NEEDLE\n");
    assertThat(run("grep", "{\"pattern\":\"^(a|a)*\\\\1c$\"}").text())
        .contains("stopped after 1 s");
    assertRefused("grep", "{\"pattern\":\"(\"}", "not a regular expression");
    Files.writeString(workspace.resolve("many"), "needle\n".repeat(20));
    assertThat(run("grep", "{\"pattern\":\"needle\"}").text()).contains("more than 5 matches");
  }

  @Test
  void shouldRunCommandsWithBounds() throws Exception {
    assertThat(run("shell", "{\"command\":\"echo out; echo err >&2; cat; pwd\"}").text())
        .isEqualTo("exit code 0\nout\nerr\n" + workspace.toRealPath() + "\n");
    ToolOutput failed = run("shell", "{\"command\":\"exit 3\"}");
    assertThat(failed.failed()).isTrue();
    assertThat(failed.text()).isEqualTo("exit code 3, no output");
    assertThat(run("shell", "{\"command\":\"head -c 30000000 /dev/zero | tr '\\\\0' x\"}").text())
        .hasSizeLessThan(1_200)
        .contains("29999000 of 30000000 bytes were cut here");
    assertThat(run("shell", "{\"command\":\"printf '\\\\377'\"}").text()).endsWith("\n\ufffd");

    long started = System.nanoTime();
    ToolOutput late =
        run("shell", "{\"command\":\"echo before; sleep 600\",\"timeout_seconds\":1}");
    ToolOutput background = run("shell", "{\"command\":\"sleep 30 & echo started\"}");

    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(15));
    assertThat(late.failed()).isTrue();
    assertThat(late.text()).contains("killed after 1 s", "before");
    assertThat(background.text()).isEqualTo("exit code 0\nstarted\n");
    assertRefused("shell", "{\"command\":\"x\",\"timeout_seconds\":61}", "1 to 60 are allowed");
  }

  @Test
  void shouldKeepThePlan() throws Exception {
    assertRefused("update_step", "{\"step\":1,\"status\":\"done\"}", "planning_setup_plan first");
    run("planning_setup_plan", "{\"objective\":\"fix\",\"steps\":[\"look\",\"check\"]}");
    run("add_step", "{\"title\":\"change\",\"after\":1}");
    run("update_step", "{\"step\":1,\"status\":\"done\",\"note\":\"line 3\"}");
    run("session_keep_value", "{\"name\":\"cause\",\"value\":\"off by one\"}");

    assertThat(session.get(Plan.SLICE).steps())
        .containsExactly(
            new Plan.PlanStep(1, "look", PlanStatus.DONE, "line 3"),
            new Plan.PlanStep(3, "change", PlanStatus.PENDING, ""),
            new Plan.PlanStep(2, "check", PlanStatus.PENDING, ""));
    assertThat(session.snapshot().toJson()).contains("off by one");
    assertRefused("update_step", "{\"step\":9,\"status\":\"done\"}", "no step 9", "[1, 3, 2]");
    assertRefused("update_step", "{\"step\":1,\"status\":\"gone\"}", "pending, in_progress");
    assertRefused("planning_setup_plan", "{\"objective\":\"x\",\"steps\":[]}", "1 to 100 texts");
  }

  @Test
  void shouldNameWhatIsWrongWithArguments() {
    assertThatThrownBy(() -> ToolArguments.parse("{\"path\":"))
        .isInstanceOf(ToolFailureException.class)
        .hasMessageContaining("not JSON");
    assertThatThrownBy(() -> ToolArguments.parse("[]"))
        .isInstanceOf(ToolFailureException.class)
        .hasMessageContaining("not a JSON object");
  }
}
