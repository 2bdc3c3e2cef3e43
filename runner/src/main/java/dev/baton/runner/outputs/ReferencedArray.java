/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.trace.Output;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * An array whose elements are outputs: each is fetched when it is read, and only the loader's cache
 * keeps it. Immutable.
 */
@SuppressWarnings("serial") // Of Jackson's nodes; this class is never serialized by Java.
public final class ReferencedArray extends ArrayNode implements ReferencedValue {
  private static final long serialVersionUID = 1L;

  private final transient List<Output> outputs;
  private final transient OutputLoader loader;

  public ReferencedArray(List<Output> outputs, OutputLoader loader) {
    super(JsonNodeFactory.instance, new Elements(List.copyOf(outputs), loader));
    this.outputs = List.copyOf(outputs);
    this.loader = loader;
  }

  @Override
  public Object index() {
    return outputs;
  }

  @Override
  public long sizeBytes() {
    return 2 + outputs.stream().mapToLong(output -> 1 + ReferencedValue.size(output)).sum();
  }

  @Override
  public int parts() {
    return outputs.size();
  }

  /**
   * @throws IllegalArgumentException when the copy, which has all values in memory, would be too
   *     large
   */
  @Override
  public ArrayNode deepCopy() {
    ReferencedValue.checkCopy(this);
    ArrayNode copy = JsonNodeFactory.instance.arrayNode(outputs.size());
    outputs.forEach(output -> copy.add((JsonNode) loader.load(output).deepCopy()));
    return copy;
  }

  private static final class Elements extends AbstractList<JsonNode> implements RandomAccess {
    /** Number of elements fetched at once when a caller iterates over all elements. */
    private static final int AHEAD = 32;

    private final List<Output> outputs;
    private final OutputLoader loader;
    private volatile int prefetched;

    Elements(List<Output> outputs, OutputLoader loader) {
      this.outputs = outputs;
      this.loader = loader;
    }

    @Override
    public JsonNode get(int index) {
      if (index > 0 && index == prefetched) {
        int end = Math.min(outputs.size(), index + AHEAD);
        loader.prefetch(outputs.subList(index, end));
        prefetched = end;
      } else if (index == 0) {
        prefetched = 1;
      }
      return loader.load(outputs.get(index));
    }

    @Override
    public int size() {
      return outputs.size();
    }
  }
}
