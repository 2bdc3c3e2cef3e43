/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import dev.baton.protocol.jq.JqToken.Kind;
import dev.baton.protocol.jq.JqToken.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Splits a program into tokens as jq's own lexer does. A dot and a name that follows directly form
 * one token, a field; a dot before a keyword is a token of its own.
 */
final class JqLexer {
  static final Set<String> KEYWORDS =
      Set.of(
          "def", "module", "import", "include", "if", "then", "else", "elif", "end", "reduce",
          "foreach", "try", "catch", "label", "as", "and", "or", "__loc__");
  private static final List<String> OPERATORS =
      List.of(
          "//=", "..", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", ".", "[",
          "]", "(", ")", "{", "}", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "?");
  private static final int MAX_DEPTH = 100;

  private final String text;
  private int at;

  private JqLexer(String text, int at) {
    this.text = text;
    this.at = at;
  }

  /**
   * @throws JqSyntaxException at an unexpected character, or for an unterminated string
   */
  static List<JqToken> tokens(String text) {
    return new JqLexer(text, 0).run(0);
  }

  /**
   * Returns the position of the <code>}}</code> that ends a program starting at an offset; -1 when
   * there is none.
   */
  static int endOfPiece(String text, int start) {
    JqLexer lexer = new JqLexer(text, start);
    int depth = 0;
    while (true) {
      lexer.skipBlanks();
      if (lexer.at >= text.length()) {
        return -1;
      }
      char c = text.charAt(lexer.at);
      if (depth == 0 && text.startsWith("}}", lexer.at)) {
        return lexer.at;
      }
      if (c == '"') {
        try {
          lexer.string(0);
        } catch (JqSyntaxException unclosed) {
          if (unclosed.offset() >= text.length()) {
            return -1;
          }
          // An invalid escape is reported by the parser.
          lexer.at = Math.max(unclosed.offset() + 1, lexer.at);
        }
        continue;
      }
      if (c == '(' || c == '[' || c == '{') {
        depth++;
      } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
        depth--;
      }
      lexer.at++;
    }
  }

  private List<JqToken> run(int depth) {
    List<JqToken> tokens = new ArrayList<>();
    int open = 0;
    while (true) {
      skipBlanks();
      if (at >= text.length()) {
        if (depth > 0) {
          throw new JqSyntaxException("it ends too early", text.length());
        }
        tokens.add(new JqToken(Kind.END, "", List.of(), at, at));
        return tokens;
      }
      char c = text.charAt(at);
      if (c == '(') {
        open++;
      } else if (c == ')' && open-- == 0 && depth > 0) {
        tokens.add(new JqToken(Kind.END, ")", List.of(), at, at));
        at++;
        return tokens;
      }
      tokens.add(token(c, depth));
    }
  }

  private void skipBlanks() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '#') {
        comment();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\uFEFF') {
        at++;
      } else {
        return;
      }
    }
  }

  /**
   * Skips to the end of the line; an odd number of backslashes before it continues the comment on
   * the next line.
   */
  private void comment() {
    int slashes = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean crlf = c == '\r' && text.startsWith("\r\n", at);
      if ((c == '\n' || crlf) && slashes % 2 == 0) {
        return;
      }
      if (crlf) {
        at++;
      }
      slashes = c == '\\' ? slashes + 1 : 0;
      at++;
    }
  }

  private JqToken token(char c, int depth) {
    int start = at;
    if (c == '"') {
      List<Part> parts = string(depth);
      return new JqToken(Kind.STRING, "", parts, start, at);
    }
    if (isDigit(c) || (c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1)))) {
      number();
      return new JqToken(Kind.NUMBER, text.substring(start, at), List.of(), start, at);
    }
    if (isNameStart(c)) {
      String name = name();
      Kind kind = KEYWORDS.contains(name) ? Kind.KEYWORD : Kind.NAME;
      return new JqToken(kind, name, List.of(), start, at);
    }
    if ((c == '.' || c == '$') && at + 1 < text.length() && isNameStart(text.charAt(at + 1))) {
      at++;
      String name = c == '.' ? plainName() : name();
      return new JqToken(c == '.' ? Kind.FIELD : Kind.VARIABLE, name, List.of(), start, at);
    }
    if (c == '@' && at + 1 < text.length() && isNamePart(text.charAt(at + 1))) {
      at++;
      String name = plainName();
      return new JqToken(Kind.FORMAT, name, List.of(), start, at);
    }
    for (String operator : OPERATORS) {
      if (text.startsWith(operator, at)) {
        at += operator.length();
        return new JqToken(Kind.OPERATOR, operator, List.of(), start, at);
      }
    }
    throw new JqSyntaxException(
        "unexpected '" + Character.toString(text.codePointAt(at)) + "'", at);
  }

  private void number() {
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      while (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      int exponent = at + 1;
      if (exponent < text.length() && "+-".indexOf(text.charAt(exponent)) >= 0) {
        exponent++;
      }
      if (exponent < text.length() && isDigit(text.charAt(exponent))) {
        at = exponent;
        while (at < text.length() && isDigit(text.charAt(at))) {
          at++;
        }
      }
    }
  }

  private List<Part> string(int depth) {
    List<Part> parts = new ArrayList<>();
    StringBuilder fixed = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        if (!fixed.isEmpty() || parts.isEmpty()) {
          parts.add(new Part.Text(wellFormed(fixed.toString())));
        }
        return parts;
      }
      if (c == '\\' && text.startsWith("(", at + 1)) {
        if (depth >= MAX_DEPTH) {
          throw new JqSyntaxException("strings are nested more than " + MAX_DEPTH + " deep", at);
        }
        if (!fixed.isEmpty()) {
          parts.add(new Part.Text(wellFormed(fixed.toString())));
          fixed.setLength(0);
        }
        at += 2;
        parts.add(new Part.Code(run(depth + 1)));
      } else if (c == '\\') {
        escape(fixed);
      } else {
        fixed.append(c);
        at++;
      }
    }
    throw new JqSyntaxException("it ends too early", text.length());
  }

  private void escape(StringBuilder fixed) {
    if (at + 1 >= text.length()) {
      throw new JqSyntaxException("it ends too early", text.length());
    }
    char c = text.charAt(at + 1);
    int known = "\"\\/bfnrt".indexOf(c);
    if (known >= 0) {
      fixed.append("\"\\/\b\f\n\r\t".charAt(known));
      at += 2;
    } else if (c == 'u' && isHex(at + 2)) {
      fixed.append((char) Integer.parseInt(text, at + 2, at + 6, 16));
      at += 6;
    } else {
      throw new JqSyntaxException("unknown escape '\\" + c + "'", at);
    }
  }

  /** Replaces unpaired surrogates by the replacement character, as in jq. */
  private static String wellFormed(String text) {
    StringBuilder out = null;
    for (int i = 0; i < text.length(); i++) {
      if (!Character.isSurrogate(text.charAt(i))) {
        continue;
      }
      if (text.codePointAt(i) > 0xFFFF) {
        i++;
      } else {
        out = out == null ? new StringBuilder(text) : out;
        out.setCharAt(i, '\uFFFD');
      }
    }
    return out == null ? text : out.toString();
  }

  private boolean isHex(int from) {
    for (int i = from; i < from + 4; i++) {
      if (i >= text.length() || Character.digit(text.charAt(i), 16) < 0 || text.charAt(i) > 'f') {
        return false;
      }
    }
    return true;
  }

  /** Reads a name, with its module prefixes. */
  private String name() {
    int start = at;
    plainName();
    while (text.startsWith("::", at)
        && at + 2 < text.length()
        && isNameStart(text.charAt(at + 2))) {
      at += 2;
      plainName();
    }
    return text.substring(start, at);
  }

  private String plainName() {
    int start = at;
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
