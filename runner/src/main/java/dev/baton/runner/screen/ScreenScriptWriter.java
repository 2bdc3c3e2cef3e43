/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import dev.baton.agent.AgentProcessStarter.AgentCommand;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.screen.TmuxLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes the files with which a screen starts: tmux's configuration, which creates the windows and
 * panes, and a script for each pane.
 *
 * @param folder of the screen
 */
record ScreenScriptWriter(Path folder, Path tmux) {
  private static final String LAUNCH = "launch.sh";
  private static final String CONFIG = "tmux.conf";
  private static final int COLUMNS = 80;
  private static final int ROWS = 24;
  private static final int HISTORY_LINES = 20_000;

  /** The file with what the driver sent to the program's standard input: its prompt. */
  Path prompt() {
    return folder.resolve("prompt");
  }

  /** The file that the program may write: the final text of its step. */
  Path result() {
    return folder.resolve("result");
  }

  /**
   * Writes the files. The server's socket is named by the working folder of its parent, since its
   * path must be absolute, for tmux commands that are typed in a pane, and may have 107 bytes only.
   *
   * @param program runs in the first pane, or in that of the saved screen
   * @return the command that runs the screen until the program ends, with its exit code
   */
  List<String> write(AgentCommand program, Optional<SavedScreen> saved) throws IOException {
    String quoted = quoted(folder.toString());
    Files.writeString(
        folder.resolve(LAUNCH),
        """
        cd %1$s && cat > prompt || exit 1
        # A server in the foreground reads its configuration when the first client connects.
        { i=0; until %2$s -S %3$s has-session -t =%5$s || [ $i -ge 600 ] || ! kill -0 $$; do
          i=$((i + 1)); sleep 0.1; done; } </dev/null >/dev/null 2>&1 &
        %2$s -u -D -S "/proc/$$/cwd/%3$s" -f %4$s
        [ -f exit-code ] || { echo 'the screen was closed before its program ended' >&2; exit 1; }
        [ ! -f result ] || cat result
        exit "$(cat exit-code)"
        """
            .formatted(
                quoted, quoted(tmux.toString()), TmuxServer.SOCKET, CONFIG, TmuxServer.SESSION));
    String run =
        """
        cd %1$s || exit 1
        %2$s
        code=$?
        cd %3$s && echo "$code" > exit-code.part && mv exit-code.part exit-code
        exec %4$s -S %5$s kill-server
        """
            .formatted(
                quoted(program.directory().toString()),
                program.arguments().stream()
                    .map(ScreenScriptWriter::quoted)
                    .collect(Collectors.joining(" ")),
                quoted,
                quoted(tmux.toString()),
                TmuxServer.SOCKET);
    Files.writeString(folder.resolve(CONFIG), config(program.directory(), run, saved));
    return List.of("/bin/sh", folder.resolve(LAUNCH).toString());
  }

  private String config(Path directory, String run, Optional<SavedScreen> saved)
      throws IOException {
    StringBuilder config =
        new StringBuilder(
            """
            set -g exit-empty on
            set -g default-shell /bin/sh
            set -g default-terminal screen-256color
            set -g history-limit %d
            set -g update-environment ""
            set -g focus-events on
            set -g set-clipboard off
            set -g set-titles off
            set -g base-index 0
            set -g pane-base-index 0
            set -g renumber-windows on
            set -g status-left "baton "
            """
                .formatted(HISTORY_LINES));
    if (saved.isEmpty()) {
      String pane = pane("pane-0-0", run, null);
      config.append(create("new-session -s " + TmuxServer.SESSION, COLUMNS, ROWS, directory, pane));
      config.append("set -p -t =%s:0.0 @baton program\n".formatted(TmuxServer.SESSION));
      return config.toString();
    }
    List<SavedScreen.Window> windows = saved.get().windows();
    for (int w = 0; w < windows.size(); w++) {
      config.append(window(w, windows.get(w), directory, run));
    }
    for (int w = 0; w < windows.size(); w++) {
      if (windows.get(w).active()) {
        config.append("select-window -t =%s:%d\n".formatted(TmuxServer.SESSION, w));
      }
    }
    return config.toString();
  }

  private String window(int index, SavedScreen.Window window, Path directory, String run)
      throws IOException {
    StringBuilder config = new StringBuilder();
    String at = "=%s:%d".formatted(TmuxServer.SESSION, index);
    for (int p = 0; p < window.panes().size(); p++) {
      SavedScreen.Pane saved = window.panes().get(p);
      String pane =
          pane(
              "pane-%d-%d".formatted(index, p),
              saved.program()
                  ? run
                  : "cd %s\nexec /bin/sh -i\n".formatted(quoted(directory.toString())),
              saved.scrollback());
      if (p > 0) {
        // Spread out after each: a small pane cannot be split.
        config.append(
            "split-window -d -t %s -c %s %s\nselect-layout -t %s tiled\n"
                .formatted(at, word(directory.toString()), word(pane), at));
      } else if (index > 0) {
        config.append(
            "new-window -d -t %s -c %s %s\n".formatted(at, word(directory.toString()), word(pane)));
      } else {
        TmuxLayout layout = window.layout();
        config.append(
            create(
                "new-session -s " + TmuxServer.SESSION,
                layout.width(),
                layout.height(),
                directory,
                pane));
      }
      if (saved.program()) {
        config.append("set -p -t %s.%d @baton program\n".formatted(at, p));
      }
    }
    config.append("select-layout -t %s %s\n".formatted(at, word(window.layout().text())));
    for (int p = 0; p < window.panes().size(); p++) {
      if (window.panes().get(p).active()) {
        config.append("select-pane -t %s.%d\n".formatted(at, p));
      }
    }
    return config.toString();
  }

  private static String create(String how, int columns, int rows, Path directory, String pane) {
    return "%s -d -x %d -y %d -c %s %s\n"
        .formatted(how, columns, rows, word(directory.toString()), word(pane));
  }

  /** Writes a pane's script, which shows its earlier scrollback first; returns its command. */
  private String pane(String name, String script, byte @org.jspecify.annotations.Nullable [] before)
      throws IOException {
    Path file = folder.resolve(name + ".sh");
    String shown = "";
    if (before != null && before.length > 0) {
      Path scrollback = folder.resolve(name + ".txt");
      Files.write(scrollback, before);
      shown = "cat " + quoted(scrollback.toString()) + "\n";
    }
    Files.writeString(file, shown + script);
    return "exec /bin/sh " + quoted(file.toString());
  }

  /** Returns a word of a shell. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /** Returns a word of a tmux configuration, in which tmux expands nothing. */
  private static String word(String text) {
    return '"'
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("$", "\\$").replace("#", "##")
        + '"';
  }
}
