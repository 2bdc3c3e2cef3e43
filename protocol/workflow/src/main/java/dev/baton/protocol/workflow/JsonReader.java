/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.workflow.LocatedNode.Style;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads JSON with positions. */
final class JsonReader {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final DefinitionProblemCollector problems;
  private int nodes;

  JsonReader(DefinitionProblemCollector problems) {
    this.problems = problems;
  }

  @Nullable LocatedNode read(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        problems.error(
            new SourcePosition(1, 1), null, "", "the definition is empty", "a JSON object");
        return null;
      }
      LocatedNode root = node(parser, 0);
      if (root != null && parser.nextToken() != null) {
        problems.error(
            mark(parser), null, "", "there is text after the definition's end", "one JSON object");
        return null;
      }
      return root;
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      SourcePosition mark =
          at == null ? SourcePosition.NONE : new SourcePosition(at.getLineNr(), at.getColumnNr());
      problems.error(mark, null, "", "not valid JSON: " + e.getOriginalMessage(), null);
      return null;
    } catch (IOException e) {
      problems.error(SourcePosition.NONE, null, "", "not readable: " + e.getMessage(), null);
      return null;
    }
  }

  /** Returns null and reports a problem when the tree exceeds the bounds. */
  private @Nullable LocatedNode node(JsonParser parser, int depth) throws IOException {
    SourcePosition mark = mark(parser);
    if (depth > DefinitionReader.MAX_DEPTH || ++nodes > DefinitionReader.MAX_NODES) {
      problems.error(
          mark,
          null,
          "",
          "the definition is too large or nested too deeply",
          "at most "
              + DefinitionReader.MAX_DEPTH
              + " levels and "
              + DefinitionReader.MAX_NODES
              + " values");
      return null;
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> members(parser, mark, depth);
      case START_ARRAY -> items(parser, mark, depth);
      case VALUE_STRING -> {
        boolean plain =
            parser.getTextLength() + 2
                == parser.currentLocation().getCharOffset()
                    - parser.currentTokenLocation().getCharOffset();
        yield new LocatedNode.Scalar(
            mark, TextNode.valueOf(parser.getText()), plain ? Style.QUOTED : Style.OTHER);
      }
      case VALUE_TRUE, VALUE_FALSE ->
          new LocatedNode.Scalar(mark, BooleanNode.valueOf(parser.getBooleanValue()), Style.OTHER);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser, mark);
      case VALUE_NULL -> new LocatedNode.Scalar(mark, NullNode.getInstance(), Style.OTHER);
      case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new IOException("unexpected " + parser.currentToken());
    };
  }

  private @Nullable LocatedNode number(JsonParser parser, SourcePosition mark) throws IOException {
    JsonNode value = JsonNumberParser.parse(parser.getText());
    if (value == null) {
      problems.error(
          mark, null, "", "the number is too large or too long", JsonNumberParser.ALLOWED);
      return null;
    }
    return new LocatedNode.Scalar(mark, value, Style.OTHER);
  }

  private @Nullable LocatedNode items(JsonParser parser, SourcePosition mark, int depth)
      throws IOException {
    List<LocatedNode> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      LocatedNode item = node(parser, depth + 1);
      if (item == null) {
        return null;
      }
      items.add(item);
    }
    return new LocatedNode.Items(mark, items);
  }

  private @Nullable LocatedNode members(JsonParser parser, SourcePosition mark, int depth)
      throws IOException {
    List<LocatedNode.Entry> entries = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      SourcePosition keyMark = mark(parser);
      parser.nextToken();
      LocatedNode value = node(parser, depth + 1);
      if (value == null) {
        return null;
      }
      if (seen.add(key)) {
        entries.add(new LocatedNode.Entry(key, keyMark, value));
      } else {
        problems.error(keyMark, null, "", "the key '" + key + "' is given twice", "each key once");
      }
    }
    return new LocatedNode.Members(mark, entries);
  }

  private static SourcePosition mark(JsonParser parser) {
    JsonLocation at = parser.currentTokenLocation();
    return new SourcePosition(at.getLineNr(), at.getColumnNr());
  }
}
