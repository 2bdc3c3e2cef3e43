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

/** Makes the entries of a workflow's tree from attributes, each where its value is written. */
final class DotValues {
  /** Keys whose value is text even where it looks like JSON. */
  private static final Set<String> TEXTS =
      Set.of("title", "description", "when", "shell", "transform", "to", "on", "url", "prompt");

  private static final Pattern JSON =
      Pattern.compile("\\s*([{\\[].*[}\\]]|-?[0-9]+|true|false|null)\\s*", Pattern.DOTALL);

  private DotValues() {}

  static Located.Entry entry(String key, Mark mark, Located value) {
    return new Located.Entry(key, mark, value);
  }

  static Located.Entry entry(String key, Mark mark, String text) {
    return new Located.Entry(key, mark, text(mark, text));
  }

  /** An attribute as the value of a key: JSON where it is that and the key takes it, else text. */
  static Located.Entry entry(String key, Attribute attribute) {
    return new Located.Entry(key, attribute.name().mark(), value(key, attribute));
  }

  static Located text(Mark mark, String text) {
    return new Located.Scalar(mark, JsonNodeFactory.instance.textNode(text), Located.Style.OTHER);
  }

  static Located value(String key, Attribute attribute) {
    String text = attribute.text();
    Mark mark = attribute.value().mark();
    if (!TEXTS.contains(key) && JSON.matcher(text).matches()) {
      try {
        return moved(Located.of(Json.mapper().readTree(text)), mark);
      } catch (JsonProcessingException e) {
        return text(mark, text); // The key's decoder says what it expects.
      }
    }
    Located.Style style =
        switch (attribute.value().form()) {
          case BARE -> Located.Style.PLAIN;
          case QUOTED -> Located.Style.QUOTED;
          case COMPOSED, HTML -> Located.Style.OTHER;
        };
    return new Located.Scalar(mark, JsonNodeFactory.instance.textNode(text), style);
  }

  private static Located moved(Located node, Mark mark) {
    return switch (node) {
      case Located.Scalar scalar -> new Located.Scalar(mark, scalar.value(), scalar.style());
      case Located.Items items ->
          new Located.Items(mark, items.items().stream().map(item -> moved(item, mark)).toList());
      case Located.Members members ->
          new Located.Members(
              mark,
              members.entries().stream()
                  .map(entry -> entry(entry.key(), mark, moved(entry.value(), mark)))
                  .toList());
    };
  }

  /**
   * A label as Graphviz draws it: <code>\n</code>, <code>\l</code> and <code>\r</code> end a line,
   * <code>\N</code> is the object and <code>\G</code> the graph; any other character stands for
   * itself.
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

  /** A list of texts, all in one place. */
  static Located texts(Mark mark, List<String> texts) {
    return new Located.Items(mark, texts.stream().map(text -> text(mark, text)).toList());
  }
}
