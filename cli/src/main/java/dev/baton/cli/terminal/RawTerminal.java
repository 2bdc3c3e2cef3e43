/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * The process's terminal in raw mode, in which each key is read at once and none is handled here.
 * Restores its mode when it is closed, and at each other end of the process but SIGKILL.
 */
public final class RawTerminal implements AutoCloseable {
  /** A window's size in characters. */
  public record Size(int columns, int rows) {}

  private static final int TIMEOUT_SECONDS = 5;
  private static final int MAX_OUTPUT = 4_096;
  private static final Signal WINCH = new Signal("WINCH");

  private final String before;
  private final Thread atExit = new Thread(this::restore, "terminal-restore");
  private final AtomicBoolean restored = new AtomicBoolean();

  private RawTerminal(String before) {
    this.before = before;
  }

  /** Switches the terminal of stdin to raw mode; empty where stdin is something else. */
  public static Optional<RawTerminal> open() {
    String before = stty("-g");
    if (before == null) {
      return Optional.empty();
    }
    RawTerminal terminal = new RawTerminal(before.strip());
    Runtime.getRuntime().addShutdownHook(terminal.atExit);
    if (stty("raw", "-echo") == null) {
      terminal.close();
      return Optional.empty();
    }
    return Optional.of(terminal);
  }

  /** Returns the size of the window; empty where it is not known. */
  public Optional<Size> size() {
    String size = stty("size");
    String[] sides = size == null ? new String[0] : size.strip().split(" ");
    if (sides.length != 2
        || !sides[0].matches("[1-9]\\d{0,3}")
        || !sides[1].matches("[1-9]\\d{0,3}")) {
      return Optional.empty();
    }
    return Optional.of(new Size(Integer.parseInt(sides[1]), Integer.parseInt(sides[0])));
  }

  /** Runs this after each change of the window's size, on a thread of the JVM. */
  public void onResize(Runnable task) {
    Signal.handle(WINCH, signal -> task.run());
  }

  private void restore() {
    if (restored.compareAndSet(false, true)) {
      stty(before);
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM ends, and runs the hook in any case; it has no effect any more.
      restored.set(true);
    }
  }

  /** Returns what stty prints about the terminal of stdin; null when it fails. */
  private static @Nullable String stty(String... arguments) {
    List<String> words = new ArrayList<>(List.of("stty"));
    words.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(words)
              .redirectInput(Redirect.INHERIT)
              .redirectError(Redirect.DISCARD)
              .start();
      String text =
          new String(process.getInputStream().readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      process.destroy();
      return ended && process.exitValue() == 0 ? text : null;
    } catch (IOException e) {
      return null; // No stty: stdin is used as it is.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
