/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A JSON tree whose nodes have their positions in the text. Keys are unique; their order is the
 * text's.
 */
sealed interface LocatedNode {
  SourcePosition mark();

  /** How a scalar is written in the definition, to compute positions inside it. */
  enum Style {
    /** Its characters are unchanged in the text, from the mark on. */
    PLAIN,
    /** Like plain, after a quote. */
    QUOTED,
    /** Its lines are unchanged in the text, indented, from the line after the mark on. */
    BLOCK,
    /** Positions inside it cannot be computed. */
    OTHER
  }

  /**
   * @param indent of a block's lines, in characters
   */
  record Scalar(SourcePosition mark, JsonNode value, Style style, int indent)
      implements LocatedNode {
    Scalar(SourcePosition mark, JsonNode value, Style style) {
      this(mark, value, style, 0);
    }

    /**
     * Converts a line and column of the value, both from 1, to a position in the definition;
     * returns the scalar's own position where that is not possible.
     */
    SourcePosition inside(int line, int column) {
      if (line < 1 || column < 1 || mark.line() == 0) {
        return mark;
      }
      return switch (style) {
        case PLAIN, QUOTED ->
            line > 1
                ? mark
                : new SourcePosition(
                    mark.line(), mark.column() + column - (style == Style.PLAIN ? 1 : 0));
        case BLOCK -> new SourcePosition(mark.line() + line, indent + column);
        case OTHER -> mark;
      };
    }
  }

  record Items(SourcePosition mark, List<LocatedNode> items) implements LocatedNode {}

  record Entry(String key, SourcePosition keyMark, LocatedNode value) {}

  record Members(SourcePosition mark, List<Entry> entries) implements LocatedNode {
    @Nullable Entry find(String key) {
      for (Entry entry : entries) {
        if (entry.key().equals(key)) {
          return entry;
        }
      }
      return null;
    }
  }

  /** Returns the name of this node's type for messages. */
  default String typeName() {
    return switch (this) {
      case Items _ -> "a list";
      case Members _ -> "a mapping";
      case Scalar(_, JsonNode value, _, _) ->
          switch (value.getNodeType()) {
            case STRING -> "text";
            case NUMBER -> "the number " + value;
            case BOOLEAN -> value.toString();
            case NULL, MISSING -> "nothing";
            case ARRAY, OBJECT, BINARY, POJO -> "a value";
          };
    };
  }

  /** Returns the tree as JSON with sorted keys. */
  default JsonNode toJson() {
    return switch (this) {
      case Scalar(_, JsonNode value, _, _) -> value;
      case Items(_, List<LocatedNode> items) -> {
        ArrayNode array = JsonNodeFactory.instance.arrayNode(items.size());
        items.forEach(item -> array.add(item.toJson()));
        yield array;
      }
      case Members(_, List<Entry> entries) -> {
        TreeMap<String, JsonNode> sorted = new TreeMap<>();
        entries.forEach(entry -> sorted.put(entry.key(), entry.value().toJson()));
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.setAll(sorted);
        yield object;
      }
    };
  }

  /** Creates a tree without positions. */
  static LocatedNode of(JsonNode node) {
    if (node.isArray()) {
      List<LocatedNode> items = new ArrayList<>(node.size());
      node.forEach(item -> items.add(of(item)));
      return new Items(SourcePosition.NONE, items);
    }
    if (node.isObject()) {
      List<Entry> entries = new ArrayList<>(node.size());
      for (Map.Entry<String, JsonNode> entry : node.properties()) {
        entries.add(new Entry(entry.getKey(), SourcePosition.NONE, of(entry.getValue())));
      }
      return new Members(SourcePosition.NONE, entries);
    }
    return new Scalar(SourcePosition.NONE, node, Style.OTHER);
  }
}
