/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Escapes control characters in all printed text, from every source: only {@linkplain
 * ControlSequenceMarker the command's own sequences} pass. Accepts UTF-8. Not thread-safe itself:
 * the {@link PrintStream} around it is.
 */
final class EscapingStream extends FilterOutputStream {
  private static final byte[] MARK = ControlSequenceMarker.MARK.getBytes(StandardCharsets.UTF_8);

  private byte[] held = new byte[0];

  private EscapingStream(OutputStream out) {
    super(out);
  }

  /** Wraps the stream; returns it unchanged if it is one already. */
  static PrintStream over(PrintStream stream) {
    return stream instanceof EscapingPrintStream ? stream : new EscapingPrintStream(stream);
  }

  /** Returns the wrapped stream, for text that the command itself has written completely. */
  static PrintStream trusted(PrintStream stream) {
    return stream instanceof EscapingPrintStream escaped ? escaped.inner : stream;
  }

  private static final class EscapingPrintStream extends PrintStream {
    private final PrintStream inner;

    EscapingPrintStream(PrintStream inner) {
      super(new EscapingStream(inner), true, StandardCharsets.UTF_8);
      this.inner = inner;
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (held.length == 0 && isPlain(bytes, offset, length)) {
      out.write(bytes, offset, length);
      return;
    }
    byte[] all = new byte[held.length + length];
    System.arraycopy(held, 0, all, 0, held.length);
    System.arraycopy(bytes, offset, all, held.length, length);
    int whole = whole(all);
    held = Arrays.copyOfRange(all, whole, all.length);
    String text = new String(all, 0, whole, StandardCharsets.UTF_8);
    out.write(
        ControlSequenceMarker.unmarked(TextEscaper.escape(text)).getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isPlain(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\t' || bytes[i] == 0x7F) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the length of the prefix that can be processed: it must not split a character or one of
   * our own sequences.
   */
  private static int whole(byte[] all) {
    int end = all.length;
    for (int back = 1; back <= Math.min(3, all.length); back++) {
      int one = all[all.length - back] & 0xFF;
      if (one >= 0xC0) {
        int needed = one >= 0xF0 ? 4 : one >= 0xE0 ? 3 : 2;
        end = needed > back ? all.length - back : end;
        break;
      }
      if (one < 0x80) {
        break;
      }
    }
    // U+FDD0 is EF B7 90, U+FDD1 is EF B7 91.
    for (int i = end - 3; i >= Math.max(0, end - ControlSequenceMarker.LONGEST); i--) {
      if ((all[i] & 0xFF) == 0xEF && (all[i + 1] & 0xFF) == 0xB7) {
        return mayBecomeOwn(all, i, end) ? i : end;
      }
    }
    return end;
  }

  private static boolean mayBecomeOwn(byte[] all, int from, int end) {
    int compared = Math.min(MARK.length, end - from);
    return Arrays.equals(all, from, from + compared, MARK, 0, compared);
  }

  @Override
  public void flush() throws IOException {
    out.flush();
    if (out instanceof PrintStream inner && inner.checkError()) {
      throw new IOException("the reader is gone");
    }
  }

  @Override
  public void close() throws IOException {
    if (held.length > 0) {
      String rest = new String(held, StandardCharsets.UTF_8);
      held = new byte[0];
      out.write(TextEscaper.escape(rest).getBytes(StandardCharsets.UTF_8));
    }
    out.close();
  }
}
