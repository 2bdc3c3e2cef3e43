/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.expression.ExpressionException.Reason;
import dev.baton.protocol.jq.JqProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Text with <code>${{ jq }}</code> pieces; {@code $${{} is an escape for a literal
 * <code>${{</code>. Immutable, thread-safe, equal when the texts are.
 */
public final class Template {
  /** Maximum characters of a template. */
  public static final int MAX_LENGTH = 256 * 1024;

  public static final String OPEN = "${{";

  private static final Pattern SECRET =
      Pattern.compile("\\s*secrets\\.([A-Za-z_][A-Za-z0-9_]*)\\s*");

  private static final Pattern SECRETS = Pattern.compile("(?<![.\\w])secrets\\s*[.\\[]");

  /** A part: fixed text, or an expression or a secret at a position of the template. */
  private sealed interface Piece {
    record Fixed(String text) implements Piece {}

    record Computed(Expression expression, int line, int column) implements Piece {}

    record Secret(SecretPlaceholder placeholder) implements Piece {}
  }

  private final String text;
  private final List<Piece> pieces;

  private Template(String text, List<Piece> pieces) {
    this.text = text;
    this.pieces = List.copyOf(pieces);
  }

  /** Whether the text contains an expression or an escape. */
  public static boolean isTemplate(String text) {
    return text.contains(OPEN);
  }

  /**
   * @throws ExpressionException when a piece is not closed or not valid jq; its line and column are
   *     within the template
   */
  public static Template compile(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new ExpressionException(
          Reason.SYNTAX,
          text,
          "the text has " + text.length() + " characters, at most " + MAX_LENGTH + " are allowed");
    }
    List<Piece> pieces = new ArrayList<>();
    StringBuilder fixed = new StringBuilder();
    int at = 0;
    while (true) {
      int open = text.indexOf(OPEN, at);
      if (open < 0) {
        fixed.append(text, at, text.length());
        break;
      }
      if (open > at && text.charAt(open - 1) == '$') {
        fixed.append(text, at, open - 1).append(OPEN);
        at = open + OPEN.length();
        continue;
      }
      fixed.append(text, at, open);
      addFixed(pieces, fixed);
      int start = open + OPEN.length();
      int end = JqProgram.endWithin(text, start);
      ExpressionPosition position = ExpressionPosition.of(text, start);
      if (end < 0) {
        throw new ExpressionException(
            Reason.SYNTAX, text, "'${{' is not closed by '}}'", position.line(), position.column());
      }
      pieces.add(compilePiece(text.substring(start, end), position));
      at = end + 2;
    }
    addFixed(pieces, fixed);
    return new Template(text, pieces);
  }

  private static void addFixed(List<Piece> pieces, StringBuilder fixed) {
    if (!fixed.isEmpty()) {
      pieces.add(new Piece.Fixed(fixed.toString()));
      fixed.setLength(0);
    }
  }

  /** Whether an expression seems to read a secret, which none can. */
  public static boolean namesSecrets(String jq) {
    return SECRETS.matcher(jq).find();
  }

  private static Piece compilePiece(String jq, ExpressionPosition start) {
    Matcher secret = SECRET.matcher(jq);
    if (secret.matches()) {
      return new Piece.Secret(new SecretPlaceholder(secret.group(1), start.line(), start.column()));
    }
    try {
      return new Piece.Computed(Expression.compile(jq), start.line(), start.column());
    } catch (ExpressionException e) {
      ExpressionPosition at =
          start.plus(new ExpressionPosition(Math.max(1, e.line()), Math.max(1, e.column())));
      String message = e.getMessage() == null ? "not valid jq" : e.getMessage();
      throw new ExpressionException(e.reason(), jq, message, at.line(), at.column());
    }
  }

  /**
   * Evaluates the template: to the JSON value of its expression if it consists of exactly one,
   * otherwise to text.
   *
   * @throws ExpressionException as {@link Expression#evaluate}, or when the text exceeds {@link
   *     Expression#MAX_RESULT_CHARS}
   */
  public JsonNode evaluate(ExpressionScope scope) {
    return evaluate(scope, SecretProvider.NONE);
  }

  /**
   * @param secrets returns the values of the secrets that it contains
   * @throws ExpressionException as {@link #evaluate(ExpressionScope)}
   */
  public JsonNode evaluate(ExpressionScope scope, SecretProvider secrets) {
    if (pieces.size() == 1 && pieces.getFirst() instanceof Piece.Computed(Expression only, _, _)) {
      return only.evaluate(scope);
    }
    return TextNode.valueOf(render(scope, secrets));
  }

  /**
   * Evaluates the template to text: strings unchanged, null as empty text, everything else as
   * compact JSON.
   *
   * @throws ExpressionException as {@link #evaluate}
   */
  public String render(ExpressionScope scope) {
    return render(scope, SecretProvider.NONE);
  }

  /**
   * @param secrets returns the values of the secrets that it contains
   * @throws ExpressionException as {@link #render(ExpressionScope)}
   */
  public String render(ExpressionScope scope, SecretProvider secrets) {
    StringBuilder out = new StringBuilder();
    for (Piece piece : pieces) {
      switch (piece) {
        case Piece.Fixed(String fixed) -> out.append(fixed);
        case Piece.Computed(Expression expression, _, _) ->
            out.append(asText(expression.evaluate(scope)));
        case Piece.Secret(SecretPlaceholder secret) -> out.append(secrets.value(secret.name()));
      }
      if (out.length() > Expression.MAX_RESULT_CHARS) {
        throw new ExpressionException(
            Reason.TOO_LARGE,
            text,
            "the text has more than " + Expression.MAX_RESULT_CHARS + " characters");
      }
    }
    return out.toString();
  }

  private static String asText(JsonNode value) {
    if (value.isTextual()) {
      return value.textValue();
    }
    if (value.isNull()) {
      return "";
    }
    // jq has one number type: 3.0 is written 3.
    if (value.isDouble()
        && value.doubleValue() == Math.rint(value.doubleValue())
        && value.canConvertToLong()) {
      return Long.toString(value.longValue());
    }
    return value.toString();
  }

  public String text() {
    return text;
  }

  /** Returns the secrets that it contains, in order of appearance. */
  public List<SecretPlaceholder> secrets() {
    return pieces.stream()
        .filter(Piece.Secret.class::isInstance)
        .map(piece -> ((Piece.Secret) piece).placeholder())
        .toList();
  }

  /** Whether it has no expressions and no secrets. */
  public boolean isFixed() {
    return pieces.stream().allMatch(Piece.Fixed.class::isInstance);
  }

  /**
   * Returns {@link Expression#references} of all pieces, with lines and columns within the
   * template.
   */
  public List<ScopeReference> references() {
    List<ScopeReference> found = new ArrayList<>();
    for (Piece piece : pieces) {
      if (piece instanceof Piece.Computed(Expression expression, int line, int column)) {
        for (ScopeReference reference : expression.references()) {
          ExpressionPosition at =
              new ExpressionPosition(line, column)
                  .plus(new ExpressionPosition(reference.line(), reference.column()));
          found.add(new ScopeReference(reference.path(), at.line(), at.column()));
        }
      }
    }
    return List.copyOf(found);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Template that && that.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
