/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import java.util.Arrays;

/** Jazzer target: any input is decoded as a node or rejected; each node has one encoding. */
public final class NodeFuzz {
  private NodeFuzz() {}

  public static void fuzzerTestOneInput(byte[] data) {
    DirectoryNode node;
    try {
      node = NodeCodec.decode(data);
    } catch (SnapshotException refused) {
      root(data);
      return;
    }
    require(data, node);
  }

  private static void root(byte[] data) {
    NodeEntry.Directory root;
    try {
      root = NodeCodec.decodeRoot(data, 0, data.length);
    } catch (SnapshotException refused) {
      return;
    }
    if (!Arrays.equals(data, NodeCodec.encodeRoot(root.meta(), root.node()))) {
      throw new AssertionError("a second encoding of " + root);
    }
  }

  private static void require(byte[] data, DirectoryNode node) {
    try {
      if (!Arrays.equals(data, NodeCodec.encode(node))) {
        throw new AssertionError("a second encoding of " + node);
      }
    } catch (SnapshotException e) {
      throw new AssertionError("decoded, and cannot be encoded", e);
    }
  }
}
