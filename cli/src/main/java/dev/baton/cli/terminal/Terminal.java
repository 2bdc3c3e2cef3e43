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
 * Input and output of the command. Always UTF-8. Printed text has no control characters except
 * those of {@link TerminalStyle} and of {@link ProgressIndicator}: others are escaped, since names,
 * prompts, errors and events are untrusted.
 *
 * @param outIsTerminal whether stdout is a terminal, so that colours are useful
 * @param errIsTerminal whether a line on stderr may be redrawn in place
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

  /** Prints no progress unless stderr is a terminal: scripts parse the output of both streams. */
  public Terminal forScripts() {
    return new Terminal(in, out, err, outIsTerminal, errIsTerminal, errIsTerminal);
  }

  /**
   * Uses the process's own streams. {@code ./baton} detects whether they are terminals (the
   * property {@code baton.tty}, any of {@code out err}), since a JVM detects this slowly and only
   * for both together.
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

  /** Stdout for text that the command itself has written completely: its help. */
  public PrintStream trustedOut() {
    return EscapingStream.trusted(out);
  }

  /** Like {@link #trustedOut}, on stderr. */
  public PrintStream trustedErr() {
    return EscapingStream.trusted(err);
  }

  /** Clears a terminal's screen. */
  public static String emptyScreen() {
    return ControlSequenceMarker.of("\u001b[H\u001b[2J");
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
