/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import java.util.Arrays;
import java.util.Collection;

/**
 * Finds all patterns in a sequence of bytes in one pass, in time linear in its length, by the
 * algorithm of Aho and Corasick. Immutable after {@link #of}.
 */
final class PatternAutomaton {
  /** The state before the first byte. */
  static final int ROOT = 0;

  private final int[] root = new int[256];
  private int[] firstChild;
  private int[] sibling;
  private byte[] label;
  private int[] depth;
  private int[] fallback;

  /** Length of the longest pattern that ends in a state; 0 for none. */
  private int[] match;

  private int size = 1;

  private PatternAutomaton(int states) {
    firstChild = new int[states];
    sibling = new int[states];
    label = new byte[states];
    depth = new int[states];
    fallback = new int[states];
    match = new int[states];
  }

  /**
   * @param patterns none of them empty
   */
  static PatternAutomaton of(Collection<byte[]> patterns) {
    PatternAutomaton automaton =
        new PatternAutomaton(1 + patterns.stream().mapToInt(pattern -> pattern.length).sum());
    patterns.forEach(automaton::add);
    automaton.link();
    automaton.trim();
    return automaton;
  }

  private void add(byte[] pattern) {
    int state = ROOT;
    for (byte next : pattern) {
      int child = child(state, next);
      if (child == ROOT) {
        child = size++;
        label[child] = next;
        depth[child] = depth[state] + 1;
        if (state == ROOT) {
          root[next & 0xff] = child;
        }
        sibling[child] = firstChild[state];
        firstChild[state] = child;
      }
      state = child;
    }
    match[state] = pattern.length;
  }

  /** Links each state to that of its longest end that is a beginning of a pattern. */
  private void link() {
    int[] queue = new int[size];
    int tail = 0;
    for (int child = firstChild[ROOT]; child != ROOT; child = sibling[child]) {
      queue[tail++] = child;
    }
    for (int head = 0; head < tail; head++) {
      int state = queue[head];
      for (int child = firstChild[state]; child != ROOT; child = sibling[child]) {
        fallback[child] = next(fallback[state], label[child]);
        match[child] = Math.max(match[child], match[fallback[child]]);
        queue[tail++] = child;
      }
    }
  }

  private void trim() {
    firstChild = Arrays.copyOf(firstChild, size);
    sibling = Arrays.copyOf(sibling, size);
    label = Arrays.copyOf(label, size);
    depth = Arrays.copyOf(depth, size);
    fallback = Arrays.copyOf(fallback, size);
    match = Arrays.copyOf(match, size);
  }

  private int child(int state, byte next) {
    if (state == ROOT) {
      return root[next & 0xff];
    }
    int child = firstChild[state];
    while (child != ROOT && label[child] != next) {
      child = sibling[child];
    }
    return child;
  }

  /** Returns the state after this byte. */
  int next(int state, byte next) {
    int at = state;
    while (true) {
      int child = child(at, next);
      if (child != ROOT || at == ROOT) {
        return child;
      }
      at = fallback[at];
    }
  }

  /** Returns the length of the longest pattern that ends here; 0 if none does. */
  int match(int state) {
    return match[state];
  }

  /** Returns how many of the last bytes may be the beginning of a pattern. */
  int depth(int state) {
    return depth[state];
  }
}
