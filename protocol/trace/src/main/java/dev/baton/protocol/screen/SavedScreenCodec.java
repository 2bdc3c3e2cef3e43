/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.screen;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes a screen as one text, {@code tmux_state.txt}, and reads it again: a line for each window
 * with its layout, a line for each pane, and after it the pane's scrollback.
 *
 * <pre>
 * baton screen 1
 * window 0 active b25d,80x24,0,0,0
 * pane 0 program active 12
 * hello there
 * </pre>
 *
 * {@code active} and {@code program} are left out where a window or pane is not so; the number of a
 * pane's line is the length of its scrollback in bytes.
 */
public final class SavedScreenCodec {
  /** The longest text in bytes. */
  public static final int MAX_TEXT = SavedScreen.MAX_BYTES + (1 << 20);

  private static final String HEADER = "baton screen 1";
  private static final Pattern WINDOW = Pattern.compile("window (\\d{1,2})( active)? (\\S+)");
  private static final Pattern PANE =
      Pattern.compile("pane (\\d{1,2})( program)?( active)? (\\d{1,7})");

  private SavedScreenCodec() {}

  /** Writes the text. */
  public static byte[] write(SavedScreen screen) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    line(out, HEADER);
    for (int w = 0; w < screen.windows().size(); w++) {
      SavedScreen.Window window = screen.windows().get(w);
      line(
          out,
          "window %d%s %s".formatted(w, window.active() ? " active" : "", window.layout().text()));
      for (int p = 0; p < window.panes().size(); p++) {
        SavedScreen.Pane pane = window.panes().get(p);
        line(
            out,
            "pane %d%s%s %d"
                .formatted(
                    p,
                    pane.program() ? " program" : "",
                    pane.active() ? " active" : "",
                    pane.scrollback().length));
        out.writeBytes(pane.scrollback());
      }
    }
    return out.toByteArray();
  }

  private static void line(ByteArrayOutputStream out, String line) {
    out.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads the text.
   *
   * @throws IllegalArgumentException when it is malformed or beyond the bounds of a screen; the
   *     message names the line
   */
  public static SavedScreen read(byte[] text) {
    Parser parser = new Parser(text);
    if (!parser.line().equals(HEADER)) {
      throw new IllegalArgumentException("line 1 is not '" + HEADER + "'");
    }
    List<SavedScreen.Window> windows = new ArrayList<>();
    while (!parser.isAtEnd()) {
      windows.add(parser.window(windows.size()));
    }
    return new SavedScreen(windows);
  }

  private static final class Parser {
    private final byte[] text;
    private int at;
    private int number;
    private int left = SavedScreen.MAX_BYTES;

    Parser(byte[] text) {
      this.text = text;
    }

    boolean isAtEnd() {
      return at == text.length;
    }

    String line() {
      int end = at;
      while (end < text.length && text[end] != '\n') {
        end++;
      }
      String line = new String(text, at, end - at, StandardCharsets.UTF_8);
      at = Math.min(text.length, end + 1);
      number++;
      return line;
    }

    SavedScreen.Window window(int index) {
      Matcher head = WINDOW.matcher(line());
      if (!head.matches() || Integer.parseInt(head.group(1)) != index) {
        throw wrong("is not that of window " + index);
      }
      TmuxLayout layout =
          TmuxLayout.parse(head.group(3)).orElseThrow(() -> wrong("has a malformed layout"));
      List<SavedScreen.Pane> panes = new ArrayList<>();
      while (panes.size() < layout.panes()) {
        panes.add(pane(panes.size()));
      }
      return new SavedScreen.Window(layout, head.group(2) != null, panes);
    }

    private SavedScreen.Pane pane(int index) {
      Matcher head = PANE.matcher(line());
      if (!head.matches() || Integer.parseInt(head.group(1)) != index) {
        throw wrong("is not that of pane " + index);
      }
      int length = Integer.parseInt(head.group(4));
      left -= length;
      if (length > SavedScreen.MAX_PANE_BYTES || left < 0 || length > text.length - at) {
        throw wrong(
            "names a scrollback of %d bytes; there are %d, and a pane has %d at most"
                .formatted(length, text.length - at, SavedScreen.MAX_PANE_BYTES));
      }
      byte[] scrollback = Arrays.copyOfRange(text, at, at + length);
      at += length;
      for (byte each : scrollback) {
        number += each == '\n' ? 1 : 0;
      }
      return new SavedScreen.Pane(head.group(2) != null, head.group(3) != null, scrollback);
    }

    private IllegalArgumentException wrong(String what) {
      return new IllegalArgumentException("line " + number + " " + what);
    }
  }
}
