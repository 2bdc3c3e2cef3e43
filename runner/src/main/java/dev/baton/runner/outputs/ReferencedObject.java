/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.trace.Output;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object whose members are outputs: each is fetched when it is read, and only the loader's cache
 * keeps it. Immutable.
 */
@SuppressWarnings("serial") // Of Jackson's nodes; this class is never serialized by Java.
public final class ReferencedObject extends ObjectNode implements ReferencedValue {
  private static final long serialVersionUID = 1L;

  private final transient Map<String, Output> outputs;
  private final transient OutputLoader loader;

  /**
   * @param outputs in their order
   */
  public ReferencedObject(Map<String, Output> outputs, OutputLoader loader) {
    this(Collections.unmodifiableMap(new LinkedHashMap<>(outputs)), loader, true);
  }

  private ReferencedObject(Map<String, Output> outputs, OutputLoader loader, boolean own) {
    super(JsonNodeFactory.instance, new Members(outputs, loader));
    this.outputs = outputs;
    this.loader = loader;
  }

  @Override
  public Object index() {
    return outputs;
  }

  @Override
  public long sizeBytes() {
    return 2
        + outputs.entrySet().stream()
            .mapToLong(
                member -> member.getKey().length() + 4 + ReferencedValue.size(member.getValue()))
            .sum();
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
  public ObjectNode deepCopy() {
    ReferencedValue.checkCopy(this);
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    outputs.forEach((name, output) -> copy.set(name, loader.load(output).deepCopy()));
    return copy;
  }

  private static final class Members extends AbstractMap<String, JsonNode> {
    private final Map<String, Output> outputs;
    private final OutputLoader loader;

    Members(Map<String, Output> outputs, OutputLoader loader) {
      this.outputs = outputs;
      this.loader = loader;
    }

    @Override
    public @Nullable JsonNode get(@Nullable Object name) {
      Output output = outputs.get(name);
      return output == null ? null : loader.load(output);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
      return outputs.containsKey(name);
    }

    @Override
    public Set<String> keySet() {
      return outputs.keySet();
    }

    @Override
    public Set<Map.Entry<String, JsonNode>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public Iterator<Map.Entry<String, JsonNode>> iterator() {
          Iterator<Map.Entry<String, Output>> each = outputs.entrySet().iterator();
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              return each.hasNext();
            }

            @Override
            public Map.Entry<String, JsonNode> next() {
              Map.Entry<String, Output> member = each.next();
              return new Member(member.getKey(), member.getValue(), loader);
            }
          };
        }

        @Override
        public int size() {
          return outputs.size();
        }
      };
    }
  }

  /** Fetches the output when its value is read, not when its name is read. */
  private record Member(String name, Output output, OutputLoader loader)
      implements Map.Entry<String, JsonNode> {
    @Override
    public String getKey() {
      return name;
    }

    @Override
    public JsonNode getValue() {
      return loader.load(output);
    }

    @Override
    public JsonNode setValue(JsonNode value) {
      throw new UnsupportedOperationException("an output never changes");
    }
  }
}
