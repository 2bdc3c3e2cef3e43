/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.workflow.LocatedNode.Style;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingEndEvent;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceEndEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;

/**
 * Reads the subset of YAML that is equivalent to JSON: one document, text keys, no anchors,
 * aliases, tags or merge keys. Unquoted {@code true}, {@code false}, {@code null}, {@code ~} and
 * JSON numbers have their JSON type; every other scalar is text, so {@code no}, {@code 010} and
 * {@code 2026-01-01} stay as written.
 */
final class YamlReader {
  private final DefinitionProblemCollector problems;
  private String[] lines = {};
  private int nodes;

  /** Ends the reading once its problem has been reported. */
  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stop() {
      super(null, null, false, false);
    }
  }

  YamlReader(DefinitionProblemCollector problems) {
    this.problems = problems;
  }

  @Nullable LocatedNode read(String text) {
    lines = text.split("\\R", -1);
    try {
      Iterator<Event> events = new Yaml().parse(new StringReader(text)).iterator();
      LocatedNode root = null;
      while (events.hasNext()) {
        Event event = events.next();
        if (!(event instanceof NodeEvent node)) {
          continue;
        }
        if (root != null) {
          throw stop(mark(event), "there is a second document", "one document; remove '---'");
        }
        root = node(node, events, 0);
      }
      if (root == null) {
        throw stop(
            new SourcePosition(1, 1), "the definition is empty", "a mapping with name and steps");
      }
      return root;
    } catch (Stop e) {
      return null;
    } catch (MarkedYAMLException e) {
      problems.error(mark(e), null, "", "not valid YAML: " + reason(e), null);
      return null;
    } catch (YAMLException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // The library throws JDK exceptions for some malformed directives and escapes.
      problems.error(SourcePosition.NONE, null, "", "not valid YAML: " + firstLine(e), null);
      return null;
    }
  }

  private static String reason(MarkedYAMLException e) {
    String problem = e.getProblem() == null ? firstLine(e) : e.getProblem();
    if (problem.contains("\\t(TAB)")) {
      return "a tab cannot be used for indentation, use spaces";
    }
    return e.getContext() == null ? problem : e.getContext() + ", " + problem;
  }

  private static String firstLine(Exception e) {
    String message = Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
    return message.lines().findFirst().orElse("");
  }

  private LocatedNode node(NodeEvent event, Iterator<Event> events, int depth) {
    SourcePosition mark = mark(event);
    if (event instanceof AliasEvent) {
      throw stop(
          mark, "the alias '*" + event.getAnchor() + "' is not allowed", "values written out");
    }
    if (event.getAnchor() != null) {
      throw stop(
          mark, "the anchor '&" + event.getAnchor() + "' is not allowed", "values written out");
    }
    if (depth > DefinitionReader.MAX_DEPTH || ++nodes > DefinitionReader.MAX_NODES) {
      throw stop(
          mark,
          "the definition is too large or nested too deeply",
          "at most "
              + DefinitionReader.MAX_DEPTH
              + " levels and "
              + DefinitionReader.MAX_NODES
              + " values");
    }
    return switch (event) {
      case ScalarEvent scalar -> scalar(scalar, mark);
      case SequenceStartEvent start -> {
        checkTag(start.getTag(), mark);
        yield items(events, mark, depth);
      }
      case MappingStartEvent start -> {
        checkTag(start.getTag(), mark);
        yield members(events, mark, depth);
      }
      default -> throw stop(mark, "unexpected " + event, null);
    };
  }

  private LocatedNode items(Iterator<Event> events, SourcePosition mark, int depth) {
    List<LocatedNode> items = new ArrayList<>();
    Event event = events.next();
    while (!(event instanceof SequenceEndEvent)) {
      items.add(node((NodeEvent) event, events, depth + 1));
      event = events.next();
    }
    return new LocatedNode.Items(mark, items);
  }

  private LocatedNode members(Iterator<Event> events, SourcePosition mark, int depth) {
    List<LocatedNode.Entry> entries = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    Event event = events.next();
    while (!(event instanceof MappingEndEvent)) {
      SourcePosition keyMark = mark(event);
      if (!(event instanceof ScalarEvent keyEvent) || keyEvent.getAnchor() != null) {
        throw stop(keyMark, "a key must be text", "key: value");
      }
      checkTag(keyEvent.getTag(), keyMark);
      String key = keyEvent.getValue();
      LocatedNode value = node((NodeEvent) events.next(), events, depth + 1);
      if (seen.add(key)) {
        entries.add(new LocatedNode.Entry(key, keyMark, value));
      } else {
        problems.error(keyMark, null, "", "the key '" + key + "' is given twice", "each key once");
      }
      event = events.next();
    }
    return new LocatedNode.Members(mark, entries);
  }

  private LocatedNode scalar(ScalarEvent scalar, SourcePosition mark) {
    checkTag(scalar.getTag(), mark);
    String text = scalar.getValue();
    boolean oneLine = scalar.getStartMark().getLine() == scalar.getEndMark().getLine();
    int width = scalar.getEndMark().getColumn() - scalar.getStartMark().getColumn();
    if (scalar.getScalarStyle() == ScalarStyle.PLAIN) {
      return new LocatedNode.Scalar(mark, plain(text, mark), oneLine ? Style.PLAIN : Style.OTHER);
    }
    Style style =
        scalar.getScalarStyle() == ScalarStyle.LITERAL
            ? Style.BLOCK
            : oneLine && width == text.length() + 2 ? Style.QUOTED : Style.OTHER;
    return new LocatedNode.Scalar(
        mark, TextNode.valueOf(text), style, style == Style.BLOCK ? indent(mark.line()) : 0);
  }

  /**
   * Returns the indentation of the first non-blank line from an index on: a block starts on the
   * line after its mark.
   */
  private int indent(int from) {
    for (int i = from; i < lines.length; i++) {
      if (!lines[i].isBlank()) {
        return lines[i].length() - lines[i].stripLeading().length();
      }
    }
    return 0;
  }

  private JsonNode plain(String text, SourcePosition mark) {
    switch (text) {
      case "", "~", "null" -> {
        return NullNode.getInstance();
      }
      case "true" -> {
        return BooleanNode.TRUE;
      }
      case "false" -> {
        return BooleanNode.FALSE;
      }
      default -> {}
    }
    if (!JsonNumberParser.isNumber(text)) {
      return TextNode.valueOf(text);
    }
    JsonNode number = JsonNumberParser.parse(text);
    if (number == null) {
      throw stop(
          mark,
          "the number is too large or too long",
          JsonNumberParser.ALLOWED + ", or text in quotes");
    }
    return number;
  }

  private void checkTag(@Nullable String tag, SourcePosition mark) {
    if (tag != null) {
      throw stop(mark, "the tag '" + tag + "' is not allowed", "plain values");
    }
  }

  private Stop stop(SourcePosition mark, String message, @Nullable String allowed) {
    problems.error(mark, null, "", message, allowed);
    return new Stop();
  }

  private static SourcePosition mark(Event event) {
    return new SourcePosition(
        event.getStartMark().getLine() + 1, event.getStartMark().getColumn() + 1);
  }

  private static SourcePosition mark(MarkedYAMLException e) {
    var at = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
    return at == null
        ? SourcePosition.NONE
        : new SourcePosition(at.getLine() + 1, at.getColumn() + 1);
  }
}
