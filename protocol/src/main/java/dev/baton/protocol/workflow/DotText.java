/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.HashMap;
import java.util.Map;

/**
 * What a DOT text tells before it is parsed: where its names are, how deep it is nested, and its
 * graph's attributes in the one form that the parser reports. Comments, strings and HTML strings
 * are passed over, as the <a href="https://graphviz.org/doc/info/lang.html">language</a> has them.
 */
final class DotText {
  private final String text;
  private final StringBuilder plain;
  private final Map<String, Mark> marks = new HashMap<>();
  private int at;
  private int line = 1;
  private int lineStart;
  private int depth;
  private int deepest;
  private boolean inGraphAttributes;
  private boolean closed;
  private boolean directed;
  private Mark afterEnd = Mark.NONE;

  DotText(String text) {
    this.text = text;
    this.plain = new StringBuilder(text);
    while (at < text.length()) {
      step();
    }
  }

  /**
   * The text with {@code graph [a=1, b=2]} as {@code a=1; b=2;}, every character in its place: the
   * parser does not report the first form.
   */
  String plain() {
    return plain.toString();
  }

  boolean isDirected() {
    return directed;
  }

  /** Braces within braces. */
  int depth() {
    return deepest;
  }

  /** Where something follows the graph; {@link Mark#NONE} where nothing does. */
  Mark afterEnd() {
    return afterEnd;
  }

  /** Where a name is first. */
  Mark mark(String name) {
    return marks.getOrDefault(name, Mark.NONE);
  }

  private Mark here() {
    return new Mark(line, at - lineStart + 1);
  }

  private void step() {
    char c = text.charAt(at);
    if (c == '\n') {
      next();
    } else if (text.startsWith("//", at) || (c == '#' && at == lineStart)) {
      skipTo("\n", 0);
    } else if (text.startsWith("/*", at)) {
      skipTo("*/", 2);
    } else if (Character.isWhitespace(c)) {
      next();
    } else {
      token(c);
    }
  }

  private void token(char c) {
    if (closed && afterEnd == Mark.NONE) {
      afterEnd = here();
    }
    switch (c) {
      case '"' -> string();
      case '<' -> html();
      case '{' -> {
        depth++;
        deepest = Math.max(deepest, depth);
        next();
      }
      case '}' -> {
        depth--;
        closed |= depth == 0;
        next();
      }
      case ',' -> {
        if (inGraphAttributes) {
          plain.setCharAt(at, ';');
        }
        next();
      }
      case ']' -> {
        if (inGraphAttributes) {
          plain.setCharAt(at, ';');
          inGraphAttributes = false;
        }
        next();
      }
      default -> {
        if (isWord(c)) {
          word();
        } else {
          next();
        }
      }
    }
  }

  private void word() {
    Mark mark = here();
    int from = at;
    while (at < text.length() && isWord(text.charAt(at))) {
      next();
    }
    String word = text.substring(from, at);
    marks.putIfAbsent(word, mark);
    if (depth == 0) {
      directed |= word.equalsIgnoreCase("digraph");
    } else if (depth == 1 && word.equalsIgnoreCase("graph")) {
      int open = at;
      while (open < text.length() && Character.isWhitespace(text.charAt(open))) {
        open++;
      }
      if (open < text.length() && text.charAt(open) == '[') {
        for (int i = from; i <= open; i++) {
          if (text.charAt(i) != '\n') {
            plain.setCharAt(i, ' ');
          }
        }
        while (at <= open) {
          next();
        }
        inGraphAttributes = true;
      }
    }
  }

  private static boolean isWord(char c) {
    return c == '_' || c == '.' || c >= 0x80 || Character.isLetterOrDigit(c);
  }

  private void string() {
    Mark mark = here();
    StringBuilder value = new StringBuilder();
    next();
    while (at < text.length() && text.charAt(at) != '"') {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        if (text.charAt(at + 1) != '"') {
          value.append('\\');
        }
        next();
      }
      value.append(text.charAt(at));
      next();
    }
    if (at < text.length()) {
      next();
    }
    marks.putIfAbsent(value.toString(), mark);
  }

  private void html() {
    int open = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      next();
      open += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (open == 0) {
        return;
      }
    }
  }

  private void skipTo(String end, int length) {
    int to = text.indexOf(end, at);
    int stop = to < 0 ? text.length() : to + length;
    while (at < stop) {
      next();
    }
  }

  private void next() {
    if (text.charAt(at) == '\n') {
      line++;
      lineStart = at + 1;
    }
    at++;
  }
}
