/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentProcessStarter.AgentCommand;
import dev.baton.agent.AgentProgramException;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.screen.TmuxLayout;
import dev.baton.protocol.trace.RestoredScreen;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The screen of one process of an interactive agent: a session of a tmux server of its own, which
 * is a process of the step like any other. People attach to it. Thread-safe.
 */
public final class InteractiveScreen {
  /** Terminals that are attached to a screen at the same time. */
  static final int MAX_TERMINALS = 16;

  private static final Logger LOG = Logger.getLogger(InteractiveScreen.class);
  private static final String INSTALL =
      "; install tmux 3.2 or newer and script of util-linux (packages tmux and bsdutils, or util-linux)"
          + " on the runner's machine, or remove 'interactive' from the step";
  private static final String PANES =
      "#{window_index}\t#{pane_index}\t#{window_active}\t#{pane_active}\t#{@baton}\t#{window_layout}";
  private static final int MAX_LIST = 1 << 20;

  /** tmux has no event for a client that waits for a session. */
  private static final long SESSION_POLL_MILLIS = 50;

  private final String step;
  private final Path home;
  private final TmuxServer server;
  private final Path script;
  private final ScreenScriptWriter scripts;
  private final Consumer<String> notes;
  private final AtomicInteger terminals = new AtomicInteger();
  private volatile @Nullable RestoredScreen restored;

  private InteractiveScreen(
      String step, Path home, TmuxServer server, Path script, Consumer<String> notes) {
    this.step = step;
    this.home = home;
    this.server = server;
    this.script = script;
    this.scripts = new ScreenScriptWriter(server.folder(), server.program());
    this.notes = notes;
  }

  /**
   * Prepares the screen of a step; its program is not started yet.
   *
   * @param folder of the step's screens, each of which has its own folder in it: a pane of an
   *     earlier screen may write into its folder while it is killed. Folders of earlier screens are
   *     deleted
   * @param home of the agent, where a saved screen is
   * @param notes receives what people should know
   * @throws AgentProgramException when tmux is not installed on this machine
   */
  public static InteractiveScreen prepare(
      String step, Path folder, Path home, Consumer<String> notes)
      throws AgentProgramException, IOException {
    Path tmux =
        TmuxServer.find("tmux")
            .orElseThrow(
                () ->
                    new AgentProgramException(
                        "an interactive step needs tmux, which is missing" + INSTALL));
    Path script =
        TmuxServer.find("script")
            .orElseThrow(
                () ->
                    new AgentProgramException(
                        "an interactive step needs script of util-linux, which is missing"
                            + INSTALL));
    deleteEarlier(folder);
    Files.createDirectories(folder);
    Path own = Files.createTempDirectory(folder, "");
    return new InteractiveScreen(step, home, new TmuxServer(tmux, own), script, notes);
  }

  private static void deleteEarlier(Path folder) {
    try {
      TreeDeleter.deleteFully(folder);
    } catch (IOException e) {
      LOG.infof("%s: deleted with the run's folder instead", e.getMessage());
    }
  }

  /** Whether a file of an agent's home, by its path relative to it, is part of a saved screen. */
  public static boolean isState(Path relative) {
    return SavedScreen.contains(relative);
  }

  /** The path of the step. */
  public String step() {
    return step;
  }

  /**
   * Returns a starter whose first process runs on this screen, where it shows what the restored
   * screen had. Its standard input is in the file {@code BATON_PROMPT_FILE}; what it writes to the
   * file {@code BATON_RESULT_FILE} is its standard output.
   */
  public AgentProcessStarter starter(AgentProcessStarter processes) {
    return command -> start(command, processes);
  }

  /**
   * Returns what a restored screen has, once its program is started; null where it starts with an
   * empty one.
   */
  public @Nullable RestoredScreen restored() {
    return restored;
  }

  private AgentProcess start(AgentCommand command, AgentProcessStarter processes)
      throws IOException {
    Map<String, String> environment = new HashMap<>(command.environment());
    environment.put("BATON_PROMPT_FILE", scripts.prompt().toString());
    environment.put("BATON_RESULT_FILE", scripts.result().toString());
    environment.remove("TMUX");
    environment.remove("TMUX_PANE");
    Optional<SavedScreen> saved = saved();
    AgentProcess process =
        processes.start(
            new AgentCommand(scripts.write(command, saved), environment, command.directory()));
    saved.ifPresent(
        screen -> restored = new RestoredScreen(screen.windows().size(), screen.panes()));
    return process;
  }

  private Optional<SavedScreen> saved() {
    if (!SavedScreen.isIn(home)) {
      return Optional.empty();
    }
    try {
      return Optional.of(SavedScreen.read(home));
    } catch (IOException e) {
      notes.accept(
          "the saved screen is not restored, the program gets an empty one: " + e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Saves windows, panes and scrollback in the agent's home, within seconds.
   *
   * @return what is saved
   * @throws IOException when tmux does not answer or has a layout beyond the bounds; the home then
   *     has what was saved before
   */
  public SavedScreen save() throws IOException, InterruptedException {
    Map<Integer, List<PaneLine>> windows = new LinkedHashMap<>();
    String listed = server.text(MAX_LIST, "list-panes", "-s", "-t", target(), "-F", PANES);
    for (String line : listed.split("\n", -1)) {
      if (!line.isEmpty()) {
        PaneLine pane = PaneLine.parse(line);
        windows.computeIfAbsent(pane.window(), w -> new ArrayList<>()).add(pane);
      }
    }
    int left = SavedScreen.MAX_BYTES;
    List<SavedScreen.Window> saved = new ArrayList<>();
    for (List<PaneLine> panes : windows.values()) {
      TmuxLayout layout =
          TmuxLayout.parse(panes.getFirst().layout())
              .orElseThrow(
                  () ->
                      new IOException("a window has more panes or a larger layout than is saved"));
      List<SavedScreen.Pane> contents = new ArrayList<>();
      for (PaneLine pane : panes) {
        byte[] scrollback = scrollback(pane, Math.min(left, SavedScreen.MAX_PANE_BYTES));
        left -= scrollback.length;
        contents.add(new SavedScreen.Pane(pane.program(), pane.active(), scrollback));
      }
      saved.add(new SavedScreen.Window(layout, panes.getFirst().windowActive(), contents));
    }
    try {
      SavedScreen screen = new SavedScreen(saved);
      screen.write(home);
      return screen;
    } catch (IllegalArgumentException e) {
      throw new IOException("the screen has " + e.getMessage(), e);
    }
  }

  private byte[] scrollback(PaneLine pane, int limit) throws IOException, InterruptedException {
    if (limit <= 0) {
      return new byte[0];
    }
    byte[] all =
        server.run(
            limit,
            "capture-pane",
            "-p",
            "-e",
            "-J",
            "-S",
            "-",
            "-t",
            target() + ":" + pane.window() + "." + pane.index());
    // Where it is cut, within a line or character, the rest of that line goes too.
    int from = 0;
    if (all.length == limit) {
      while (from < all.length && all[from++] != '\n') {}
    }
    int end = all.length;
    while (end > from && (all[end - 1] == '\n' || all[end - 1] == ' ')) {
      end--;
    }
    if (end == from) {
      return new byte[0];
    }
    byte[] reset = "\u001b[0m\n".getBytes(StandardCharsets.US_ASCII);
    byte[] kept = new byte[Math.min(end - from, limit - reset.length) + reset.length];
    System.arraycopy(all, end - (kept.length - reset.length), kept, 0, kept.length - reset.length);
    System.arraycopy(reset, 0, kept, kept.length - reset.length, reset.length);
    return kept;
  }

  private static String target() {
    return "=" + TmuxServer.SESSION;
  }

  TmuxServer server() {
    return server;
  }

  Path script() {
    return script;
  }

  /**
   * Waits until tmux has created the session: a terminal that is attached before ends at once.
   *
   * @return whether it has within this time
   */
  boolean awaitSession(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        server.run(MAX_LIST, "has-session", "-t", target());
        return true;
      } catch (IOException e) {
        if (System.nanoTime() - end > 0) {
          return false;
        }
      }
      TimeUnit.MILLISECONDS.sleep(SESSION_POLL_MILLIS);
    }
  }

  /** Takes a place for one more terminal; returns false when all are taken. */
  boolean tryAttach() {
    if (terminals.incrementAndGet() > MAX_TERMINALS) {
      terminals.decrementAndGet();
      return false;
    }
    return true;
  }

  void detached() {
    terminals.decrementAndGet();
  }

  /** A line of tmux's list of panes. */
  private record PaneLine(
      int window, int index, boolean windowActive, boolean active, boolean program, String layout) {
    static PaneLine parse(String line) throws IOException {
      String[] fields = line.split("\t", -1);
      if (fields.length != 6) {
        throw new IOException("tmux listed a pane as '" + line + "'");
      }
      try {
        return new PaneLine(
            Integer.parseInt(fields[0]),
            Integer.parseInt(fields[1]),
            fields[2].equals("1"),
            fields[3].equals("1"),
            fields[4].equals("program"),
            fields[5]);
      } catch (NumberFormatException e) {
        throw new IOException("tmux listed a pane as '" + line + "'", e);
      }
    }
  }
}
