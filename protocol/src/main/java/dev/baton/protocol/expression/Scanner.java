/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import dev.baton.protocol.expression.ExpressionException.Reason;
import dev.baton.protocol.expression.Frame.Fold;
import dev.baton.protocol.expression.Frame.Kind;
import dev.baton.protocol.expression.Scan.Unavailable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tokens of an expression once, for what its parser does not tell: references into the
 * scope, calls of functions that do not exist, and where time must be watched. Text that is not jq
 * gives some answer; the parser judges it.
 */
final class Scanner {
  /** Groups within groups. The parser recurses, so it is asked only below this. */
  private static final int MAX_DEPTH = 200;

  private static final Set<String> WORDS =
      Set.of(
          "and", "or", "if", "then", "elif", "else", "end", "reduce", "foreach", "try", "catch",
          "label", "break", "as", "def", "import", "include", "true", "false", "null");
  private static final Set<String> VALUES = Set.of("true", "false", "null", "break");

  private final String text;
  private final ArrayDeque<Frame> frames = new ArrayDeque<>();
  private final List<Reference> references = new ArrayList<>();
  private final List<Unavailable> problems = new ArrayList<>();

  /** Where the clock is to be looked at, in order. */
  private final List<Integer> ticks = new ArrayList<>();

  private final Set<String> defined = new HashSet<>();
  private int at;

  /** Whether the token before was the end of a value, so that a dot goes on from it. */
  private boolean afterValue;

  private Scanner(String text, int at) {
    this.text = text;
    this.at = at;
    frames.push(new Frame(Kind.TOP, at, true, null));
  }

  /**
   * @throws ExpressionException when groups are nested too deeply
   */
  static Scan scan(String text) {
    Scanner scanner = new Scanner(text, 0);
    scanner.run(false);
    return new Scan(
        List.copyOf(scanner.references), scanner.instrumented(), List.copyOf(scanner.problems));
  }

  /**
   * Where the <code>}}</code> is that closes a template's piece; -1 when there is none. Strings and
   * objects inside are skipped.
   */
  static int endOfPiece(String text, int start) {
    Scanner scanner = new Scanner(text, start);
    return scanner.run(true) ? scanner.at : -1;
  }

  /** Goes to the end, or to an unopened brace pair. True when it met one. */
  private boolean run(boolean stopAtBraces) {
    while (at < text.length()) {
      if (stopAtBraces && frames.size() == 1 && text.startsWith("}}", at)) {
        return true;
      }
      token(text.charAt(at));
    }
    return false;
  }

  private Frame top() {
    Frame top = frames.peek();
    return top == null ? new Frame(Kind.TOP, at, false, null) : top;
  }

  private void token(char c) {
    if (Character.isWhitespace(c)) {
      at++;
    } else if (c == '#') {
      int end = text.indexOf('\n', at);
      at = end < 0 ? text.length() : end;
    } else if (c == '"') {
      at++;
      string();
    } else if (isNameStart(c)) {
      word(name());
    } else if (c == '$' || c == '@') {
      at++;
      String name = name();
      if (c == '$' && (name.equals("ENV") || name.startsWith("__"))) {
        problems.add(
            new Unavailable(
                "$" + name + " is not available in expressions", at - name.length() - 1));
      }
      afterValue = true;
    } else if (Character.isDigit(c)) {
      number();
    } else if (c == '.') {
      dot();
    } else {
      punctuation(c);
    }
  }

  private void punctuation(char c) {
    Frame frame = top();
    switch (c) {
      case '(' -> {
        if (frame.fold == Fold.STATE) {
          frame.fold = Fold.NONE;
          push(new Frame(Kind.CALL, at, frame.root, "reduce"));
        } else {
          push(new Frame(Kind.PAREN, at, frame.root, null));
        }
      }
      case '[' -> push(new Frame(Kind.ARRAY, at, frame.root, null));
      case '{' -> push(new Frame(Kind.OBJECT, at, frame.root, null));
      case ')', ']', '}' -> close();
      case '|' -> {
        boolean update = text.startsWith("|=", at);
        if (frame.binding && !update) {
          frame.binding = false;
        } else {
          frame.root = false;
        }
        at += update ? 2 : 1;
        if (!update) {
          ticks.add(at);
        }
        afterValue = false;
      }
      case ',' -> {
        if (frame.kind == Kind.OBJECT) {
          frame.again();
          frame.key = true;
        }
        operator();
      }
      case ':' -> {
        frame.key = false;
        operator();
      }
      case ';' -> {
        if (frame.kind == Kind.DEF && frames.size() > 1) {
          frames.pop();
        } else {
          frame.nextArgument();
        }
        operator();
      }
      // A question mark after a value leaves it a value.
      case '?' -> at++;
      default -> operator();
    }
  }

  private void operator() {
    at++;
    afterValue = false;
  }

  private void push(Frame frame) {
    if (frames.size() >= MAX_DEPTH) {
      throw new ExpressionException(
          Reason.SYNTAX, text, "the expression is nested more than " + MAX_DEPTH + " deep");
    }
    frames.push(frame);
    at++;
    afterValue = false;
  }

  private void close() {
    at++;
    afterValue = true;
    if (frames.size() == 1) {
      return;
    }
    Frame closed = frames.pop();
    String function = closed.function();
    if (closed.kind == Kind.INTERPOLATION) {
      string();
    } else if (closed.kind == Kind.CALL && function != null && !function.equals("reduce")) {
      checkCall(function, closed.argument + 1, closed.start);
    }
  }

  /** From within a string to its end, or to an interpolation. */
  private void string() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        afterValue = true;
        return;
      }
      if (c == '\\' && at + 1 < text.length()) {
        if (text.charAt(at + 1) == '(') {
          at++;
          push(new Frame(Kind.INTERPOLATION, at, top().root, null));
          return;
        }
        at++;
      }
      at++;
    }
  }

  private void number() {
    while (at < text.length()
        && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '.')) {
      at++;
    }
    afterValue = true;
  }

  private void word(String name) {
    Frame frame = top();
    int start = at - name.length();
    if (frame.kind == Kind.OBJECT && frame.key) {
      afterValue = true;
      return;
    }
    if (!WORDS.contains(name)) {
      call(name, start);
      return;
    }
    afterValue = VALUES.contains(name);
    switch (name) {
      case "if" -> {
        at--;
        push(new Frame(Kind.IF, start, frame.root, null));
      }
      case "then", "elif", "else" -> frame.again();
      case "end" -> {
        if (frame.kind == Kind.IF) {
          frames.pop();
        }
        afterValue = true;
      }
      case "reduce", "foreach" -> frame.fold = Fold.SOURCE;
      case "as" -> {
        if (frame.fold == Fold.SOURCE) {
          frame.fold = Fold.STATE;
        } else {
          frame.binding = true;
        }
      }
      case "label" -> frame.binding = true;
      case "catch" -> frame.root = false;
      case "def" -> define();
      case "import", "include" ->
          problems.add(new Unavailable("modules are not available in expressions", start));
      default -> {}
    }
  }

  private void call(String name, int start) {
    int next = skipSpace(at);
    if (next < text.length() && text.charAt(next) == '(') {
      at = next;
      push(new Frame(Kind.CALL, start, top().root && !defined.contains(name), name));
    } else {
      checkCall(name, 0, start);
      afterValue = true;
    }
  }

  private void checkCall(String name, int arity, int start) {
    if (!defined.contains(name) && !JqScope.names().contains(name + "/" + arity)) {
      problems.add(
          new Unavailable(
              "function " + name + "/" + arity + " does not exist in expressions", start));
    }
  }

  /** {@code def name:} or {@code def name(a; $b):}, up to its body. */
  private void define() {
    at = skipSpace(at);
    defined.add(name());
    int open = skipSpace(at);
    if (open < text.length() && text.charAt(open) == '(') {
      at = open + 1;
      while (at < text.length() && text.charAt(at) != ')' && text.charAt(at) != ':') {
        if (isNameStart(text.charAt(at))) {
          defined.add(name());
        } else {
          at++;
        }
      }
    }
    int colon = text.indexOf(':', at);
    if (colon >= 0) {
      at = colon;
      ticks.add(colon + 1);
      push(new Frame(Kind.DEF, colon, false, null));
    }
  }

  /** A dot: the scope itself, a path from it, or the continuation of a value. */
  private void dot() {
    int start = at;
    if (text.startsWith("..", at)) {
      at += 2;
      afterValue = true;
      return;
    }
    boolean fromRoot = !afterValue && top().root;
    List<String> path = new ArrayList<>();
    String segment = segment();
    if (segment == null) {
      at++;
    }
    while (segment != null) {
      path.add(segment);
      segment = fromRoot ? segment() : null;
    }
    afterValue = true;
    if (fromRoot && !path.isEmpty()) {
      Position position = Position.of(text, start);
      references.add(new Reference(path, position.line(), position.column()));
    }
  }

  /**
   * {@code .name}, {@code ."name"}, {@code ["name"]} or {@code .["name"]} with a literal name,
   * passed over; null when there is none here.
   */
  private @Nullable String segment() {
    int p = skipSpace(at);
    while (p < text.length() && text.charAt(p) == '?') {
      p = skipSpace(p + 1);
    }
    boolean dotted = p < text.length() && text.charAt(p) == '.';
    if (dotted) {
      p = skipSpace(p + 1);
    }
    if (p >= text.length()) {
      return null;
    }
    char c = text.charAt(p);
    if (dotted && isNameStart(c)) {
      at = p;
      return name();
    }
    boolean bracket = c == '[';
    if (bracket) {
      p = skipSpace(p + 1);
    }
    if ((!bracket && !dotted) || p >= text.length() || text.charAt(p) != '"') {
      return null;
    }
    int end = text.indexOf('"', p + 1);
    if (end < 0 || text.substring(p, end).contains("\\")) {
      return null;
    }
    int after = bracket ? skipSpace(end + 1) : end;
    if (after >= text.length() || (bracket && text.charAt(after) != ']')) {
      return null;
    }
    at = after + 1;
    return text.substring(p + 1, end);
  }

  private int skipSpace(int from) {
    int p = from;
    while (p < text.length() && Character.isWhitespace(text.charAt(p))) {
      p++;
    }
    return p;
  }

  private String name() {
    int start = at;
    while (at < text.length()
        && (isNameStart(text.charAt(at)) || Character.isDigit(text.charAt(at)))) {
      at++;
    }
    return text.substring(start, at);
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private String instrumented() {
    StringBuilder out = new StringBuilder(text);
    for (int i = ticks.size() - 1; i >= 0; i--) {
      out.insert(ticks.get(i), " " + JqScope.TICK + " | ");
    }
    return out.toString();
  }
}
