/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Keeps beginning and end of an output of any length, and counts the rest. Bytes that are not UTF-8
 * are replaced. Thread-safe.
 */
final class OutputBuffer {
  private final byte[] head;
  private final byte[] tail;
  private long total;

  /**
   * @param most bytes that are kept
   */
  OutputBuffer(int most) {
    head = new byte[most / 2];
    tail = new byte[most - head.length];
  }

  synchronized void add(byte[] bytes, int count) {
    int at = 0;
    if (total < head.length) {
      at = (int) Math.min(count, head.length - total);
      System.arraycopy(bytes, 0, head, (int) total, at);
    }
    // Of a long part only the end can stay.
    int from = Math.max(at, count - tail.length);
    for (int i = from; i < count; i++) {
      tail[(int) ((total + i - head.length) % tail.length)] = bytes[i];
    }
    total += count;
  }

  synchronized long total() {
    return total;
  }

  /** The output; with a line in the place of a part that was cut. */
  synchronized String text() {
    if (total <= head.length) {
      return decoded(head, 0, (int) total);
    }
    long after = total - head.length;
    if (after <= tail.length) {
      byte[] all = Arrays.copyOf(head, (int) total);
      System.arraycopy(tail, 0, all, head.length, (int) after);
      return decoded(all, 0, all.length);
    }
    byte[] end = new byte[tail.length];
    int start = (int) (after % tail.length);
    System.arraycopy(tail, start, end, 0, tail.length - start);
    System.arraycopy(tail, 0, end, tail.length - start, start);
    int headEnd = wholeEnd(head);
    int endStart = wholeStart(end);
    return decoded(head, 0, headEnd)
        + "\n[… %d of %d bytes were cut here …]\n"
            .formatted(total - headEnd - (end.length - endStart), total)
        + decoded(end, endStart, end.length - endStart);
  }

  /** The length without a character at the end that is not whole. */
  private static int wholeEnd(byte[] bytes) {
    int lead = bytes.length - 1;
    while (lead > bytes.length - 4 && lead >= 0 && (bytes[lead] & 0xc0) == 0x80) {
      lead--;
    }
    if (lead < 0) {
      return bytes.length;
    }
    int first = bytes[lead] & 0xff;
    int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return lead + length > bytes.length ? lead : bytes.length;
  }

  private static int wholeStart(byte[] bytes) {
    int start = 0;
    while (start < Math.min(3, bytes.length) && (bytes[start] & 0xc0) == 0x80) {
      start++;
    }
    return start;
  }

  private static String decoded(byte[] bytes, int from, int count) {
    return new String(bytes, from, count, StandardCharsets.UTF_8).replace('\0', '\ufffd');
  }
}
