/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a process with a bound for each: of a longer line the beginning is kept and the
 * rest dropped, so that no output fills the memory. Bytes that are not UTF-8 are replaced. Not
 * thread-safe.
 */
public final class OutputLineReader {
  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[65_536];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int position;
  private int filled;

  /**
   * A line without its end.
   *
   * @param dropped number of bytes that did not fit
   */
  public record OutputLine(String text, long dropped) {}

  public OutputLineReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /** Returns the next line; null at the end. The last one may have no end of line. */
  public @Nullable OutputLine next() throws IOException {
    line.reset();
    long dropped = 0;
    boolean any = false;
    while (position < filled || fill()) {
      any = true;
      int end = position;
      while (end < filled && buffer[end] != '\n') {
        end++;
      }
      int taken = Math.min(end - position, maxBytes - line.size());
      line.write(buffer, position, taken);
      dropped += end - position - taken;
      boolean ends = end < filled;
      position = ends ? end + 1 : end;
      if (ends) {
        return line(dropped);
      }
    }
    return any ? line(dropped) : null;
  }

  private OutputLine line(long dropped) {
    String text = line.toString(StandardCharsets.UTF_8);
    if (line.size() > 65_536) {
      // The buffer of one huge line is not kept for the rest of the session.
      line.reset();
    }
    return new OutputLine(
        text.endsWith("\r") ? text.substring(0, text.length() - 1) : text, dropped);
  }

  private boolean fill() throws IOException {
    filled = in.read(buffer);
    position = 0;
    return filled > 0;
  }
}
