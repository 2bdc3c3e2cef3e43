/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.LazyJsonContainer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Estimates the bytes reachable from a set of roots; shared values count once. */
final class JqMemoryEstimator {
  static final int ARRAY = 48;
  static final int ELEMENT = 8;
  static final int OBJECT = 96;
  static final int MEMBER = 48;
  static final int TEXT = 56;
  static final int SCALAR = 24;
  static final int LINK = 48;

  private static final int SMALL_TEXT = 64;

  private final ArrayDeque<Object> open = new ArrayDeque<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private long bytes;

  void add(@Nullable Object root) {
    if (root == null) {
      return;
    }
    if (root instanceof JsonNode node && node.isValueNode()) {
      scalar(node);
    } else if (seen.add(root)) {
      open.push(root);
    }
  }

  void addAll(@Nullable Object... roots) {
    for (Object root : roots) {
      add(root);
    }
  }

  void bytes(long more) {
    bytes += more;
  }

  /**
   * @param enough count at which it may stop
   * @param pause called periodically; may stop the count by throwing
   */
  long total(long enough, Runnable pause) {
    int visited = 0;
    while (!open.isEmpty() && bytes <= enough) {
      if ((++visited & 0xFFF) == 0) {
        pause.run();
      }
      Object next = open.pop();
      if (next instanceof JsonNode node) {
        container(node);
      } else if (next instanceof JqTraceable traced) {
        bytes += LINK;
        traced.trace(this);
      }
    }
    return bytes;
  }

  private void scalar(JsonNode node) {
    if (!node.isTextual()) {
      bytes += SCALAR;
    } else if (node.textValue().length() <= SMALL_TEXT || seen.add(node)) {
      bytes += text(node.textValue().length());
    }
  }

  private void container(JsonNode node) {
    if (node instanceof LazyJsonContainer) {
      // Lazy containers do not hold their children, and reading them would load all.
      bytes += OBJECT + (long) ELEMENT * node.size();
    } else if (node.isObject()) {
      bytes += OBJECT;
      for (Map.Entry<String, JsonNode> member : node.properties()) {
        bytes += MEMBER;
        add(member.getValue());
      }
    } else {
      bytes += ARRAY;
      for (JsonNode element : node) {
        bytes += ELEMENT;
        add(element);
      }
    }
  }

  static long text(long length) {
    return TEXT + 2 * length;
  }
}
