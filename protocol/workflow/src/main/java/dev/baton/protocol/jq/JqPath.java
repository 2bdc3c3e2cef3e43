/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The path from the start of {@code path} to the current value; the keys are linked backwards. */
final class JqPath implements JqTraceable {
  static final JqPath ROOT = new JqPath(null, null);

  /** The path of a value that is not a part of the value at which {@code path} started. */
  static final JqPath NONE = new JqPath(null, null);

  private final @Nullable JqPath before;
  private final @Nullable JsonNode key;

  private JqPath(@Nullable JqPath before, @Nullable JsonNode key) {
    this.before = before;
    this.key = key;
  }

  JqPath then(JsonNode next) {
    return new JqPath(this, next);
  }

  ArrayNode toArray() {
    ArrayDeque<JsonNode> keys = new ArrayDeque<>();
    for (JqPath at = this; at != null; at = at.before) {
      if (at.key != null) {
        keys.push(at.key);
      }
    }
    ArrayNode array = JsonNodeFactory.instance.arrayNode(keys.size());
    keys.forEach(array::add);
    return array;
  }

  @Override
  public void trace(JqMemoryEstimator live) {
    live.add(before);
    live.add(key);
  }
}
