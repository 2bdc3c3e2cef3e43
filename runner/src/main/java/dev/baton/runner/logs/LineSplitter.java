/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.log.LogRecord;

/**
 * Splits a stream of bytes into lines: at line ends, and at {@link LogRecord#MAX_BYTES} where a
 * line is longer, but never inside a UTF-8 character. For one thread.
 */
final class LineSplitter {
  /** Receives lines. */
  interface Lines {
    /**
     * @param bytes valid until this returns; the line is in the first {@code length} bytes
     * @param cut whether the next one continues the line
     */
    void line(byte[] bytes, int length, boolean cut);
  }

  private final Lines lines;
  private final byte[] held = new byte[LogRecord.MAX_BYTES];
  private int size;

  LineSplitter(Lines lines) {
    this.lines = lines;
  }

  void accept(byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      byte b = bytes[i];
      if (b == '\n') {
        emit(size, false);
      } else {
        if (size == held.length) {
          emit(wholeCharacters(), true);
        }
        held[size++] = b;
      }
    }
  }

  /** Emits the rest that has no line end. */
  void end() {
    if (size > 0) {
      emit(size, false);
    }
  }

  private void emit(int count, boolean cut) {
    boolean carriage = !cut && count > 0 && held[count - 1] == '\r';
    lines.line(held, carriage ? count - 1 : count, cut);
    System.arraycopy(held, count, held, 0, size - count);
    size -= count;
  }

  /**
   * Returns how many of the held bytes end with a complete character; all if they are not UTF-8.
   */
  private int wholeCharacters() {
    for (int back = 1; back <= 3; back++) {
      int b = held[size - back] & 0xff;
      if (b < 0x80) {
        return size;
      }
      if (b >= 0xc0) {
        int length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
        return length > back ? size - back : size;
      }
    }
    return size;
  }
}
