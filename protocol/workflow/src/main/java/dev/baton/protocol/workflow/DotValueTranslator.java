/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DotGraph.Attribute;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Creates the entries of a workflow's tree from attributes, each at the position of its value. */
final class DotValueTranslator {
  /** Keys whose value is text even where it looks like JSON. */
  private static final Set<String> TEXTS =
      Set.of("title", "description", "when", "shell", "transform", "to", "on", "url", "prompt");

  private static final Pattern JSON =
      Pattern.compile("\\s*([{\\[].*[}\\]]|-?[0-9]+|true|false|null)\\s*", Pattern.DOTALL);

  private DotValueTranslator() {}

  static LocatedNode.Entry entry(String key, SourcePosition mark, LocatedNode value) {
    return new LocatedNode.Entry(key, mark, value);
  }

  static LocatedNode.Entry entry(String key, SourcePosition mark, String text) {
    return new LocatedNode.Entry(key, mark, text(mark, text));
  }

  /**
   * Translates an attribute to the value of a key: JSON where the value is JSON and the key accepts
   * it, otherwise text.
   */
  static LocatedNode.Entry entry(String key, Attribute attribute) {
    return new LocatedNode.Entry(key, attribute.name().mark(), value(key, attribute));
  }

  static LocatedNode text(SourcePosition mark, String text) {
    return new LocatedNode.Scalar(
        mark, JsonNodeFactory.instance.textNode(text), LocatedNode.Style.OTHER);
  }

  static LocatedNode value(String key, Attribute attribute) {
    String text = attribute.text();
    SourcePosition mark = attribute.value().mark();
    if (!TEXTS.contains(key) && JSON.matcher(text).matches()) {
      try {
        return moved(LocatedNode.of(Json.mapper().readTree(text)), mark);
      } catch (JsonProcessingException e) {
        return text(mark, text); // The key's decoder reports what it expects.
      }
    }
    LocatedNode.Style style =
        switch (attribute.value().form()) {
          case BARE -> LocatedNode.Style.PLAIN;
          case QUOTED -> LocatedNode.Style.QUOTED;
          case COMPOSED, HTML -> LocatedNode.Style.OTHER;
        };
    return new LocatedNode.Scalar(mark, JsonNodeFactory.instance.textNode(text), style);
  }

  private static LocatedNode moved(LocatedNode node, SourcePosition mark) {
    return switch (node) {
      case LocatedNode.Scalar scalar ->
          new LocatedNode.Scalar(mark, scalar.value(), scalar.style());
      case LocatedNode.Items items ->
          new LocatedNode.Items(
              mark, items.items().stream().map(item -> moved(item, mark)).toList());
      case LocatedNode.Members members ->
          new LocatedNode.Members(
              mark,
              members.entries().stream()
                  .map(entry -> entry(entry.key(), mark, moved(entry.value(), mark)))
                  .toList());
    };
  }

  /**
   * Expands a label as Graphviz draws it: <code>\n</code>, <code>\l</code> and <code>\r</code> end
   * a line, <code>\N</code> is the object and <code>\G</code> the graph; any other escaped
   * character is itself.
   */
  static String label(String label, String object, String graph) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < label.length(); i++) {
      char c = label.charAt(i);
      if (c != '\\' || i + 1 == label.length()) {
        out.append(c);
        continue;
      }
      char escaped = label.charAt(++i);
      switch (escaped) {
        case 'n', 'l', 'r' -> out.append('\n');
        case 'N', 'E' -> out.append(object);
        case 'G' -> out.append(graph);
        default -> out.append(escaped);
      }
    }
    return out.toString().strip();
  }

  /** Returns a list of texts, all at one position. */
  static LocatedNode texts(SourcePosition mark, List<String> texts) {
    return new LocatedNode.Items(mark, texts.stream().map(text -> text(mark, text)).toList());
  }
}
