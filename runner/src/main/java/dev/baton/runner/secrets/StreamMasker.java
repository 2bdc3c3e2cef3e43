/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces secrets in one stream of bytes, across the borders of chunks and lines. Holds back bytes
 * while they may be the beginning of a secret: at most as many as its longest form has, and a few
 * line ends. Not thread-safe.
 */
public final class StreamMasker {
  static final byte[] MASK = {'*', '*', '*'};

  /** The beginnings of secrets that are so short are released when the stream pauses. */
  static final int RELEASED = 3;

  /** Line ends in a row within a secret; more end a beginning of one. */
  private static final int MAX_LINE_ENDS = 64;

  private static final byte[] NOTHING = {};

  private final Supplier<@Nullable PatternAutomaton> automata;
  private @Nullable PatternAutomaton automaton;
  private int state = PatternAutomaton.ROOT;
  private int lineEnds;

  /** Bytes that are not released yet. */
  private byte[] held = new byte[256];

  /** For each of them the length of the longest secret that ends there. */
  private int[] ends = new int[256];

  private int count;

  /** Whether the byte before them was released as part of a mask. */
  private boolean inMask;

  StreamMasker(Supplier<@Nullable PatternAutomaton> automata) {
    this.automata = automata;
  }

  /** Whether no secret is known: then all bytes leave as they are. */
  public boolean isIdle() {
    return automata.get() == null;
  }

  /**
   * Adds bytes.
   *
   * @return what may leave now
   */
  public byte[] accept(byte[] chunk, int length) {
    refresh();
    PatternAutomaton patterns = automaton;
    if (patterns == null) {
      return length == chunk.length ? chunk : Arrays.copyOf(chunk, length);
    }
    reserve(count + length);
    for (int i = 0; i < length; i++) {
      held[count] = chunk[i];
      step(patterns, count++);
    }
    return release(count - pending(patterns));
  }

  /** Returns the short beginning of a secret that is held back, when the stream pauses. */
  public byte[] pause() {
    PatternAutomaton patterns = automaton;
    return patterns != null && patterns.depth(state) <= RELEASED ? release(count) : NOTHING;
  }

  /** Whether bytes are held back that {@link #pause} would return. */
  public boolean isPausing() {
    PatternAutomaton patterns = automaton;
    return count > 0 && patterns != null && patterns.depth(state) <= RELEASED;
  }

  /** Ends the stream, and returns the rest. */
  public byte[] end() {
    byte[] rest = release(count);
    state = PatternAutomaton.ROOT;
    inMask = false;
    return rest;
  }

  /**
   * Ends a stream that was cut: what may be the beginning of a secret, from four bytes on, is
   * masked too.
   */
  public byte[] endCut() {
    PatternAutomaton patterns = automaton;
    if (patterns != null && patterns.depth(state) > RELEASED && count > 0) {
      ends[count - 1] = Math.max(ends[count - 1], patterns.depth(state));
    }
    return end();
  }

  /** Scans what is held back again when there are new secrets. */
  private void refresh() {
    PatternAutomaton newest = automata.get();
    if (newest == null || newest == automaton) {
      return;
    }
    automaton = newest;
    state = PatternAutomaton.ROOT;
    lineEnds = 0;
    for (int i = 0; i < count; i++) {
      int before = ends[i];
      step(newest, i);
      ends[i] = Math.max(before, ends[i]);
    }
  }

  private void step(PatternAutomaton patterns, int at) {
    byte next = held[at];
    ends[at] = 0;
    if (next == '\n' || next == '\r') {
      if (++lineEnds > MAX_LINE_ENDS) {
        state = PatternAutomaton.ROOT;
      }
      return;
    }
    lineEnds = 0;
    state = patterns.next(state, next);
    ends[at] = patterns.match(state);
  }

  /** Returns how many of the held bytes may belong to a secret that has not ended. */
  private int pending(PatternAutomaton patterns) {
    int left = patterns.depth(state);
    int from = count;
    while (left > 0 && from > 0) {
      from--;
      if (held[from] != '\n' && held[from] != '\r') {
        left--;
      }
    }
    return count - from;
  }

  private byte[] release(int length) {
    if (length == 0) {
      return NOTHING;
    }
    boolean[] masked = new boolean[count];
    int cover = 0;
    for (int i = count - 1; i >= 0; i--) {
      cover = Math.max(cover, ends[i]);
      masked[i] = cover > 0;
      if (held[i] != '\n' && held[i] != '\r') {
        cover = Math.max(0, cover - 1);
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(length);
    for (int i = 0; i < length; i++) {
      byte next = held[i];
      if (!masked[i] || next == '\n' || next == '\r') {
        // Line ends within a secret stay, so that each of its lines is masked.
        out.write(next);
        inMask = false;
      } else if (!inMask) {
        out.write(MASK, 0, MASK.length);
        inMask = true;
      }
    }
    count -= length;
    System.arraycopy(held, length, held, 0, count);
    System.arraycopy(ends, length, ends, 0, count);
    return out.toByteArray();
  }

  private void reserve(int length) {
    if (length > held.length) {
      int more = Math.max(length, held.length * 2);
      held = Arrays.copyOf(held, more);
      ends = Arrays.copyOf(ends, more);
    }
  }
}
