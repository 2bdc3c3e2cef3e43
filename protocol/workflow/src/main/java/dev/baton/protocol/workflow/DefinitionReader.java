/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads definition text to a tree. Reports at most one problem that stops the reading, and every
 * duplicate key before it.
 */
final class DefinitionReader {
  /** Maximum nesting of lists and mappings. */
  static final int MAX_DEPTH = 50;

  /** Maximum number of scalars, lists and mappings. */
  static final int MAX_NODES = 500_000;

  private DefinitionReader() {}

  /** Returns null and reports a problem when the text cannot be read. */
  static @Nullable LocatedNode read(
      byte[] bytes, DefinitionFormat format, DefinitionProblemCollector problems) {
    if (bytes.length > WorkflowParser.MAX_BYTES) {
      problems.error(
          SourcePosition.NONE,
          null,
          "",
          "the definition has " + bytes.length + " bytes",
          "at most " + WorkflowParser.MAX_BYTES);
      return null;
    }
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      problems.error(firstBadByte(bytes), null, "", "the definition is not UTF-8 here", "UTF-8");
      return null;
    }
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    return switch (format) {
      case YAML -> new YamlReader(problems).read(text);
      case JSON -> new JsonReader(problems).read(text);
      case DOT -> new DotReader(problems).read(text);
    };
  }

  private static SourcePosition firstBadByte(byte[] bytes) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length + 1);
    decoder.decode(in, out, true);
    int line = 1;
    int column = 1;
    for (int i = 0; i < out.position(); i++) {
      column = out.get(i) == '\n' ? 1 : column + 1;
      line += out.get(i) == '\n' ? 1 : 0;
    }
    return new SourcePosition(line, column);
  }
}
