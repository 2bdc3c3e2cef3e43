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
 * Where the command reads and writes. Always UTF-8.
 *
 * @param outIsTerminal whether a person sees stdout directly: colours make sense there
 * @param errIsTerminal whether a line on stderr may be drawn over
 */
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean outIsTerminal,
    boolean errIsTerminal) {

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

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
