/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.protocol.screen.SavedScreen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Screens with a real tmux. */
class InteractiveScreenTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String PROGRAM =
      "while read -r line; do echo \"got $line\"; [ \"$line\" != quit ] || break; done;"
          + " cat \"$BATON_PROMPT_FILE\" > \"$BATON_RESULT_FILE\"; exit 3";

  @TempDir private Path folder;

  private final List<AgentProcess> started = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  @BeforeEach
  void needsTmux() {
    assumeTrue(TmuxServer.find("tmux").isPresent(), "tmux is not installed");
  }

  @AfterEach
  void stop() {
    started.forEach(AgentProcess::kill);
  }

  private InteractiveScreen screen() throws Exception {
    Files.createDirectories(folder.resolve("home"));
    Files.createDirectories(folder.resolve("it's a workspace"));
    return InteractiveScreen.prepare(
        "work", folder.resolve("screen"), folder.resolve("home"), notes::add);
  }

  private AgentProcess start(InteractiveScreen screen) throws IOException {
    return start(screen, PROGRAM);
  }

  private AgentProcess start(InteractiveScreen screen, String program) throws IOException {
    AgentProcess process =
        screen
            .starter(new PlainProcessStarter())
            .start(
                new AgentProcessStarter.AgentCommand(
                    List.of("/bin/sh", "-c", program),
                    Map.of("PATH", System.getenv("PATH"), "LANG", "C.UTF-8"),
                    folder.resolve("it's a workspace")));
    started.add(process);
    process.stdin().write("the task".getBytes(StandardCharsets.UTF_8));
    process.stdin().close();
    return process;
  }

  private static void type(InteractiveScreen screen, String line) throws Exception {
    awaitText(screen, " ");
    screen.server().run(1_000, "send-keys", "-t", "=baton:0.0", line, "Enter");
  }

  private static void awaitText(InteractiveScreen screen, String wanted) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        String text =
            screen.server().text(1 << 20, "capture-pane", "-p", "-S", "-", "-t", "=baton:0.0");
        if (text.contains(wanted.strip())) {
          return;
        }
      } catch (IOException e) {
        // The server is not listening yet.
        assertThat(System.nanoTime()).as(e.getMessage()).isLessThan(end);
      }
      assertThat(System.nanoTime()).as("the screen shows " + wanted).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  void shouldReturnTheResultAndExitCodeOfTheProgram() throws Exception {
    InteractiveScreen screen = screen();
    AgentProcess process = start(screen);

    type(screen, "quit");

    assertThat(process.stdout().readAllBytes())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("the task");
    assertThat(process.onExit().get(20, TimeUnit.SECONDS)).isEqualTo(3);
  }

  /** After a death no person is attached. */
  @Test
  void shouldStartItsProgramBeforeATerminalIsAttached() throws Exception {
    AgentProcess process = start(screen(), "exit 4");

    assertThat(process.onExit().get(20, TimeUnit.SECONDS)).isEqualTo(4);
  }

  @Test
  void shouldLetATerminalWaitForItsSession() throws Exception {
    InteractiveScreen screen = screen();
    assertThat(screen.awaitSession(Duration.ofMillis(100))).as("not started yet").isFalse();

    start(screen, "sleep 60");

    assertThat(screen.awaitSession(Duration.ofSeconds(10))).isTrue();
  }

  /** A pane that ignores its hangup writes its exit code while the next screen starts. */
  @Test
  void shouldIgnoreWhatAPaneOfAnEarlierScreenStillWrites() throws Exception {
    InteractiveScreen before = screen();
    Path exitCode = before.server().folder().resolve("exit-code");
    Files.writeString(exitCode, "9");

    InteractiveScreen after = screen();
    Files.createDirectories(exitCode.getParent());
    Files.writeString(exitCode, "9");
    AgentProcess process = start(after, "sleep 60");
    assertThat(after.awaitSession(PATIENCE)).isTrue();
    after.server().run(1_000, "kill-server");

    assertThat(process.onExit().get(20, TimeUnit.SECONDS)).isOne();
  }

  @Test
  void shouldShowWindowsPanesAndScrollbackAgain() throws Exception {
    InteractiveScreen before = screen();
    start(before);
    type(before, "one");
    awaitText(before, "got one");
    before.server().run(1_000, "split-window", "-h", "-t", "=baton:0", "echo other; exec /bin/sh");
    before.server().run(1_000, "new-window", "-d", "-t", "=baton:1", "echo second; exec /bin/sh");
    String panes = panes(before);
    before.save();
    before.server().run(1_000, "kill-server");

    InteractiveScreen after = screen();
    start(after);

    awaitText(after, "got one");
    assertThat(panes(after)).isEqualTo(panes);
    type(after, "two");
    awaitText(after, "got two");
    assertThat(notes).isEmpty();
    after.save();
    assertThat(SavedScreen.read(folder.resolve("home")).windows()).hasSize(2);
  }

  @Test
  void shouldReachItsServerFromPanesInAnyFolder() throws Exception {
    InteractiveScreen screen = screen();
    start(screen);
    type(screen, "one");
    awaitText(screen, "got one");
    String command = "cd / && tmux rename-window 'from pane' ; exec /bin/sh";
    screen.server().run(1_000, "split-window", "-t", "=baton:0", command);

    long end = System.nanoTime() + PATIENCE.toNanos();
    String windows = "";
    while (!windows.contains("from pane")) {
      assertThat(System.nanoTime()).as("the windows are %s", windows).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
      windows = screen.server().text(1_000, "list-windows", "-t", "=baton", "-F", "#{window_name}");
    }
  }

  private static String panes(InteractiveScreen screen) throws Exception {
    return screen
        .server()
        .text(
            1 << 20,
            "list-panes",
            "-s",
            "-t",
            "=baton",
            "-F",
            "#{window_index}.#{pane_index} #{pane_width}x#{pane_height}+#{pane_left}+#{pane_top} #{@baton}");
  }

  @Test
  void shouldGiveAnEmptyScreenWhereTheSavedLayoutIsMalformed() throws Exception {
    InteractiveScreen before = screen();
    start(before);
    type(before, "one");
    awaitText(before, "got one");
    before.save();
    before.server().run(1_000, "kill-server");
    Path saved = folder.resolve("home/.baton-screen/screen.json");
    Files.writeString(saved, Files.readString(saved).replace("80x24", "81x24"));

    InteractiveScreen after = screen();
    start(after);

    type(after, "two");
    awaitText(after, "got two");
    assertThat(notes).singleElement().asString().contains("the layout of window 0 is malformed");
  }

  @Test
  void shouldSaySoWhereNoScreenCanBeSaved() throws Exception {
    InteractiveScreen screen = screen();

    assertThatThrownBy(screen::save)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tmux list-panes");
  }

  @Test
  void shouldKeepTheNewestOfALongScrollback() throws Exception {
    InteractiveScreen screen = screen();
    start(screen);
    type(screen, "one");
    screen
        .server()
        .run(
            1_000,
            "split-window",
            "-t",
            "=baton:0",
            "seq -f '%0200.0f' 1 15000; echo end of it; exec /bin/sh");
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!screen
        .server()
        .text(1 << 20, "capture-pane", "-p", "-t", "=baton:0.1")
        .contains("end of it")) {
      assertThat(System.nanoTime()).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(50);
    }

    screen.save();

    byte[] kept =
        SavedScreen.read(folder.resolve("home")).windows().getFirst().panes().get(1).scrollback();
    assertThat(kept.length).isBetween(SavedScreen.MAX_PANE_BYTES / 2, SavedScreen.MAX_PANE_BYTES);
    assertThat(new String(kept, StandardCharsets.UTF_8)).startsWith("0").contains("end of it");
  }
}
