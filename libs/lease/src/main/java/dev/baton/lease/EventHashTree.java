/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A tree of SHA-256 hashes over a list of events, so that one signature of its root is valid for
 * each of them: an event proves its place by the hashes along its path. Hashes of leaves and nodes
 * differ in their first byte, as in RFC 9162, section 2.1. Immutable.
 */
final class EventHashTree {
  /** Bytes of a hash. */
  static final int HASH = 32;

  private static final byte LEAF = 0;
  private static final byte NODE = 1;

  /** From the leaves up to the root. */
  private final List<List<byte[]>> levels = new ArrayList<>();

  /**
   * @param leaves hashes by {@link #leaf}, at least one
   */
  EventHashTree(List<byte[]> leaves) {
    List<byte[]> level = List.copyOf(leaves);
    levels.add(level);
    while (level.size() > 1) {
      List<byte[]> above = new ArrayList<>((level.size() + 1) / 2);
      for (int i = 0; i + 1 < level.size(); i += 2) {
        above.add(node(level.get(i), level.get(i + 1)));
      }
      if (level.size() % 2 == 1) {
        above.add(level.getLast());
      }
      levels.add(above);
      level = above;
    }
  }

  byte[] root() {
    return levels.getLast().getFirst();
  }

  /** Returns the hashes that lead from a leaf to the root, one after another. */
  byte[] path(int leaf) {
    ByteBuffer path = ByteBuffer.allocate(levels.size() * HASH);
    int at = leaf;
    for (List<byte[]> level : levels) {
      int sibling = at ^ 1;
      if (sibling < level.size()) {
        path.put(level.get(sibling));
      }
      at /= 2;
    }
    return Arrays.copyOf(path.array(), path.position());
  }

  /**
   * Returns the root to which a path leads (RFC 9162, section 2.1.3.2); an empty array when the
   * path has another length than that of this leaf.
   *
   * @param index of the leaf, from 0
   * @param size number of leaves
   */
  static byte[] root(byte[] leaf, int index, int size, byte[] path) {
    byte[] hash = leaf;
    int at = 0;
    int place = index;
    int last = size - 1;
    while (last > 0) {
      if ((place ^ 1) <= last) {
        if (at + HASH > path.length) {
          return new byte[0];
        }
        byte[] sibling = Arrays.copyOfRange(path, at, at + HASH);
        at += HASH;
        hash = (place & 1) == 1 ? node(sibling, hash) : node(hash, sibling);
      }
      place /= 2;
      last /= 2;
    }
    return at == path.length ? hash : new byte[0];
  }

  /** Returns the hash of an event. The lengths separate its parts. */
  static byte[] leaf(String id, String type, byte[] data) {
    MessageDigest digest = sha256();
    digest.update(LEAF);
    for (byte[] part : List.of(id.getBytes(UTF_8), type.getBytes(UTF_8), data)) {
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
      digest.update(part);
    }
    return digest.digest();
  }

  private static byte[] node(byte[] left, byte[] right) {
    MessageDigest digest = sha256();
    digest.update(NODE);
    digest.update(left);
    digest.update(right);
    return digest.digest();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
