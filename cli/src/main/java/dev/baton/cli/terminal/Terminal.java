/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where the command reads and writes. Always UTF-8. What is printed to it, by whatever part of the
 * command, has no control characters that a terminal obeys, except those of {@link TerminalStyle}
 * and of {@link ProgressIndicator}: others are made visible, since names, prompts, errors and
 * events are foreign.
 *
 * @param outIsTerminal whether a person sees stdout directly: colours make sense there
 * @param errIsTerminal whether a line on stderr may be drawn over
 * @param progress whether {@link ProgressIndicator} prints to stderr
 */
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean outIsTerminal,
    boolean errIsTerminal,
    boolean progress) {

  public Terminal {
    out = EscapingStream.over(out);
    err = EscapingStream.over(err);
  }

  public Terminal(
      InputStream in,
      PrintStream out,
      PrintStream err,
      boolean outIsTerminal,
      boolean errIsTerminal) {
    this(in, out, err, outIsTerminal, errIsTerminal, true);
  }

  /** Prints no progress unless stderr is a terminal: scripts parse what both streams print. */
  public Terminal forScripts() {
    return new Terminal(in, out, err, outIsTerminal, errIsTerminal, errIsTerminal);
  }

  /**
   * The process's own streams. Whether they are terminals is told by {@code ./baton} (the property
   * {@code baton.tty}, some of {@code out err}), since a JVM finds out slowly and for both at once.
   */
  public static Terminal system() {
    String tty = System.getProperty("baton.tty", "");
    return new Terminal(
        System.in,
        stream(FileDescriptor.out),
        stream(FileDescriptor.err),
        tty.contains("out"),
        tty.contains("err"));
  }

  /** Stdout for what is the command's own from its first to its last character: its help. */
  public PrintStream trustedOut() {
    return EscapingStream.trusted(out);
  }

  /** As {@link #trustedOut}, on stderr. */
  public PrintStream trustedErr() {
    return EscapingStream.trusted(err);
  }

  /** Lets a terminal begin again with an empty screen. */
  public static String emptyScreen() {
    return ControlSequenceMarker.of("\u001b[H\u001b[2J");
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
