/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.json.TextShortener;
import java.util.Locale;
import java.util.Set;

/**
 * Splits a DOT text into tokens, one at a time. Comments ({@code //}, {@code /* *}{@code /}, and
 * {@code #} to the end of the line) and white space separate tokens; line ends are {@code \n} or
 * {@code \r\n}, and are {@code \n} in strings.
 */
final class DotLexer {
  /** The kind of a token. */
  enum Kind {
    /** A name or a number without quotes. */
    BARE,
    QUOTED,
    /** A quoted string with an escape or a continuation line. */
    ESCAPED,
    HTML,
    /** {@code node edge graph digraph subgraph strict} in any case; its text is lower case. */
    KEYWORD,
    /** {@code { } [ ] ; , : = + -> --}. */
    SIGN,
    END
  }

  /**
   * @param text of an identifier without its quotes, otherwise as written
   */
  record Token(Kind kind, String text, SourcePosition mark) {
    boolean isSign(String sign) {
      return kind == Kind.SIGN && text.equals(sign);
    }

    boolean isKeyword(String word) {
      return kind == Kind.KEYWORD && text.equals(word);
    }

    boolean isId() {
      return kind == Kind.BARE || kind == Kind.QUOTED || kind == Kind.ESCAPED || kind == Kind.HTML;
    }

    /** Formats the token for a message. */
    String shown() {
      String cut = TextShortener.shorten(text, 40);
      return switch (kind) {
        case END -> "the end of the text";
        case KEYWORD -> "the keyword '" + cut + "'";
        case BARE, QUOTED, ESCAPED, HTML, SIGN -> "'" + cut + "'";
      };
    }
  }

  private static final Set<String> KEYWORDS =
      Set.of("node", "edge", "graph", "digraph", "subgraph", "strict");
  private static final String SIGNS = "{}[];,:=+";

  private final String text;
  private int at;
  private int line = 1;
  private int lineStart;

  DotLexer(String text) {
    this.text = text.replace("\r\n", "\n");
  }

  /**
   * Returns the next token; {@link Kind#END} after the last one, any number of times.
   *
   * @throws DotSyntaxException where the text is not a token
   */
  Token next() {
    skipBlank();
    SourcePosition mark = here();
    if (at >= text.length()) {
      return new Token(Kind.END, "", mark);
    }
    char c = text.charAt(at);
    if (c == '"') {
      return quoted(mark);
    } else if (c == '<') {
      return html(mark);
    } else if (text.startsWith("->", at) || text.startsWith("--", at)) {
      at += 2;
      return new Token(Kind.SIGN, text.substring(at - 2, at), mark);
    } else if (isLetter(c)) {
      return name(mark);
    } else if (isDigit(c) || c == '.' || c == '-') {
      return number(mark);
    } else if (SIGNS.indexOf(c) >= 0) {
      at++;
      return new Token(Kind.SIGN, String.valueOf(c), mark);
    }
    int point = text.codePointAt(at);
    String shown =
        point < ' ' ? String.format(Locale.ROOT, "U+%04X", point) : Character.toString(point);
    throw new DotSyntaxException(
        mark, "not DOT: the character '" + shown + "' stands in no quotes", "\"text in quotes\"");
  }

  private SourcePosition here() {
    return new SourcePosition(line, at - lineStart + 1);
  }

  private static boolean isLetter(char c) {
    return c == '_' || c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private void skipBlank() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        pass();
      } else if (c == '#' || text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        SourcePosition mark = here();
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw new DotSyntaxException(mark, "not DOT: this comment has no end", "*/");
        }
        while (at < end + 2) {
          pass();
        }
      } else {
        return;
      }
    }
  }

  private void pass() {
    if (text.charAt(at) == '\n') {
      line++;
      lineStart = at + 1;
    }
    at++;
  }

  private Token name(SourcePosition mark) {
    int from = at;
    while (at < text.length() && (isLetter(text.charAt(at)) || isDigit(text.charAt(at)))) {
      at++;
    }
    String name = text.substring(from, at);
    String lower = name.toLowerCase(Locale.ROOT);
    return KEYWORDS.contains(lower)
        ? new Token(Kind.KEYWORD, lower, mark)
        : new Token(Kind.BARE, name, mark);
  }

  /**
   * {@code -?(.d+|d+(.d*)?)}, not directly followed by other characters: Graphviz would read that
   * as two tokens.
   */
  private Token number(SourcePosition mark) {
    int from = at;
    if (text.charAt(at) == '-') {
      at++;
    }
    int digits = digits();
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      digits += digits();
    }
    if (digits == 0) {
      throw new DotSyntaxException(
          mark,
          "not DOT: '" + text.charAt(from) + "' stands in no quotes",
          "names of letters, digits and _, \"text in quotes\", ->");
    }
    if (at < text.length() && (isLetter(text.charAt(at)) || text.charAt(at) == '.')) {
      while (at < text.length()
          && (isLetter(text.charAt(at)) || isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
        at++;
      }
      String all = text.substring(from, at);
      throw new DotSyntaxException(
          mark, "not DOT: '" + all + "' is neither a number nor a name", "\"" + all + "\"");
    }
    return new Token(Kind.BARE, text.substring(from, at), mark);
  }

  private int digits() {
    int from = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    return at - from;
  }

  private Token quoted(SourcePosition mark) {
    StringBuilder value = new StringBuilder();
    boolean escaped = false;
    pass();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at);
      if (c == '\\' && at + 1 < text.length()) {
        char after = text.charAt(at + 1);
        pass();
        pass();
        escaped |= after == '"' || after == '\n';
        if (after == '"') {
          value.append('"');
        } else if (after != '\n') {
          value.append('\\').append(after);
        }
      } else {
        value.append(c);
        pass();
      }
    }
    if (at >= text.length()) {
      throw new DotSyntaxException(mark, "not DOT: the string that begins here has no end", "\"");
    }
    pass();
    return new Token(escaped ? Kind.ESCAPED : Kind.QUOTED, value.toString(), mark);
  }

  private Token html(SourcePosition mark) {
    int from = at + 1;
    int open = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      pass();
      open += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (open == 0) {
        return new Token(Kind.HTML, text.substring(from, at - 1), mark);
      }
    }
    throw new DotSyntaxException(mark, "not DOT: the HTML string that begins here has no end", ">");
  }
}
