/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.jq.JqToken.Kind;
import dev.baton.protocol.jq.JqToken.Part;
import java.util.ArrayList;
import java.util.List;

/** Parses a program by recursive descent with jq's precedences. */
final class JqParser extends JqTokenReader {
  /** Whether an object member is being parsed, in which a comma starts the next member. */
  private boolean member;

  /**
   * Whether the source of a {@code reduce} or {@code foreach} is being parsed, whose {@code as}
   * follows.
   */
  private boolean source;

  private JqParser(String text, List<JqToken> tokens, int depth) {
    super(text, tokens, depth);
  }

  /**
   * @throws JqSyntaxException when the text is not jq, or nested more than {@value #MAX_DEPTH} deep
   */
  static JqAstNode parse(String text) {
    JqParser parser = new JqParser(text, JqLexer.tokens(text), 0);
    return parser.whole();
  }

  /** Parses a text that consists of definitions only. */
  static List<JqAstNode.Define> definitions(String text) {
    JqParser parser = new JqParser(text, JqLexer.tokens(text), 0);
    List<JqAstNode.Define> found = new ArrayList<>();
    while (parser.peek().is("def")) {
      found.add(parser.definition());
    }
    if (parser.peek().kind() != Kind.END) {
      throw parser.unexpected();
    }
    return found;
  }

  private JqAstNode whole() {
    JqToken first = peek();
    if (first.is("module") || first.is("import") || first.is("include")) {
      throw new JqSyntaxException("modules are not available in expressions", first.offset());
    }
    JqAstNode all = pipe();
    if (peek().kind() != Kind.END) {
      throw unexpected();
    }
    return all;
  }

  /** Parses a pipe within brackets, in which a comma is an operator again. */
  private JqAstNode group() {
    boolean outerMember = member;
    boolean outerSource = source;
    member = false;
    source = false;
    JqAstNode inner = pipe();
    member = outerMember;
    source = outerSource;
    return inner;
  }

  private JqAstNode pipe() {
    enter();
    List<JqAstNode> parts = new ArrayList<>();
    do {
      parts.add(binary(JqOperatorPrecedence.COMMA));
    } while (accept("|"));
    depth--;
    return parts.size() == 1 ? parts.getFirst() : new JqAstNode.Pipe(parts);
  }

  private JqAstNode binary(int lowest) {
    JqAstNode left = unary();
    while (true) {
      JqToken operator = peek();
      int level = level(operator);
      if (level < lowest) {
        return left;
      }
      at++;
      if (level == JqOperatorPrecedence.ALTERNATIVE) {
        enter();
        left = new JqAstNode.Binary(operator.text(), left, binary(level));
        depth--;
        continue;
      }
      JqAstNode right = binary(level + 1);
      left =
          level == JqOperatorPrecedence.COMMA
              ? new JqAstNode.Comma(left, right)
              : new JqAstNode.Binary(operator.text(), left, right);
      if ((level == JqOperatorPrecedence.ASSIGN || level == JqOperatorPrecedence.COMPARE)
          && level(peek()) == level) {
        throw unexpected();
      }
    }
  }

  private int level(JqToken token) {
    if (token.kind() != Kind.OPERATOR && token.kind() != Kind.KEYWORD) {
      return -1;
    }
    int level = JqOperatorPrecedence.of(token.text());
    return level == JqOperatorPrecedence.COMMA && member ? -1 : level;
  }

  private JqAstNode unary() {
    JqToken token = peek();
    if (token.is("-")) {
      at++;
      enter();
      JqAstNode operand = new JqAstNode.Negate(binary(JqOperatorPrecedence.TIMES));
      depth--;
      return operand;
    }
    if (token.is("def")) {
      JqAstNode.Define head = definition();
      return new JqAstNode.Define(head.name(), head.parameters(), head.body(), pipe());
    }
    if (token.is("label")) {
      at++;
      String name = variable();
      expect("|");
      return new JqAstNode.Label(name, pipe());
    }
    JqAstNode term = postfix();
    if (!source && accept("as")) {
      List<JqAstNode.Pattern> patterns = patterns();
      expect("|");
      return new JqAstNode.As(term, patterns, pipe());
    }
    return term;
  }

  private JqAstNode.Define definition() {
    expect("def");
    JqToken name = next();
    if (name.kind() != Kind.NAME && name.kind() != Kind.KEYWORD) {
      at--;
      throw unexpected();
    }
    List<String> parameters = new ArrayList<>();
    if (accept("(")) {
      do {
        JqToken parameter = next();
        switch (parameter.kind()) {
          case VARIABLE -> parameters.add("$" + parameter.text());
          case NAME, KEYWORD -> parameters.add(parameter.text());
          case FIELD, FORMAT, NUMBER, STRING, OPERATOR, END -> {
            at = tokens.indexOf(parameter);
            throw unexpected();
          }
        }
      } while (accept(";"));
      expect(")");
    }
    expect(":");
    JqAstNode body = group();
    expect(";");
    return new JqAstNode.Define(
        name.text(), parameters, body, new JqAstNode.Identity(name.offset()));
  }

  private String variable() {
    if (peek().kind() != Kind.VARIABLE) {
      throw unexpected();
    }
    return next().text();
  }

  private JqAstNode postfix() {
    JqAstNode term = primary();
    while (true) {
      JqToken token = peek();
      if (token.kind() == Kind.FIELD) {
        at++;
        term = new JqAstNode.Index(term, new JqAstNode.Literal(TextNode.valueOf(token.text())));
      } else if (token.is(".") && tokens.get(at + 1).kind() == Kind.STRING) {
        at++;
        term = new JqAstNode.Index(term, string("text"));
      } else if (token.is(".") && tokens.get(at + 1).is("[")) {
        at++;
      } else if (token.is("[")) {
        at++;
        term = bracket(term);
      } else if (token.is("?")) {
        at++;
        term = new JqAstNode.Try(term, null);
      } else {
        return term;
      }
    }
  }

  /** Parses the rest of a bracket: an index, a slice, or all elements. */
  private JqAstNode bracket(JqAstNode target) {
    if (accept("]")) {
      return new JqAstNode.Each(target);
    }
    if (accept(":")) {
      JqAstNode to = group();
      expect("]");
      return new JqAstNode.Slice(target, null, to);
    }
    JqAstNode key = group();
    if (accept("]")) {
      return new JqAstNode.Index(target, key);
    }
    expect(":");
    if (accept("]")) {
      return new JqAstNode.Slice(target, key, null);
    }
    JqAstNode to = group();
    expect("]");
    return new JqAstNode.Slice(target, key, to);
  }

  private JqAstNode primary() {
    JqToken token = peek();
    return switch (token.kind()) {
      case NUMBER -> {
        at++;
        yield new JqAstNode.Literal(JqArithmetic.literal(token));
      }
      case STRING -> string("text");
      case FORMAT -> {
        at++;
        yield peek().kind() == Kind.STRING
            ? string(token.text())
            : new JqAstNode.Format(token.text(), token.offset());
      }
      case FIELD -> {
        at++;
        yield new JqAstNode.Index(
            new JqAstNode.Identity(token.offset()),
            new JqAstNode.Literal(TextNode.valueOf(token.text())));
      }
      case VARIABLE -> {
        at++;
        yield variable(token);
      }
      case NAME -> {
        at++;
        yield call(token);
      }
      case KEYWORD -> keyword(token);
      case OPERATOR -> operator(token);
      case END -> throw unexpected();
    };
  }

  private JqAstNode variable(JqToken token) {
    if (token.text().equals("__loc__")) {
      int line = 1 + (int) text.substring(0, token.offset()).chars().filter(c -> c == '\n').count();
      return new JqAstNode.Literal(
          JsonNodeFactory.instance.objectNode().put("file", "<top-level>").put("line", line));
    }
    if (token.text().equals("ENV") || token.text().startsWith("__")) {
      throw new JqSyntaxException(
          "$" + token.text() + " is not available in expressions", token.offset());
    }
    return new JqAstNode.Variable(token.text(), token.offset());
  }

  private JqAstNode operator(JqToken token) {
    switch (token.text()) {
      case "." -> {
        at++;
        if (peek().kind() == Kind.STRING) {
          return new JqAstNode.Index(new JqAstNode.Identity(token.offset()), string("text"));
        }
        return new JqAstNode.Identity(token.offset());
      }
      case ".." -> {
        at++;
        return new JqAstNode.Call("recurse", List.of(), token.offset());
      }
      case "(" -> {
        at++;
        JqAstNode inner = group();
        expect(")");
        return inner;
      }
      case "[" -> {
        at++;
        if (accept("]")) {
          return new JqAstNode.MakeArray(null);
        }
        JqAstNode inner = group();
        expect("]");
        return new JqAstNode.MakeArray(inner);
      }
      case "{" -> {
        at++;
        return object();
      }
      default -> throw unexpected();
    }
  }

  private JqAstNode call(JqToken name) {
    if (!peek().is("(")) {
      switch (name.text()) {
        case "true", "false" -> {
          return new JqAstNode.Literal(BooleanNode.valueOf(name.text().equals("true")));
        }
        case "null" -> {
          return new JqAstNode.Literal(NullNode.getInstance());
        }
        case "break" -> {
          return new JqAstNode.Break(variable(), name.offset());
        }
        default -> {
          return new JqAstNode.Call(name.text(), List.of(), name.offset());
        }
      }
    }
    at++;
    List<JqAstNode> arguments = new ArrayList<>();
    do {
      arguments.add(group());
    } while (accept(";"));
    expect(")");
    return new JqAstNode.Call(name.text(), arguments, name.offset());
  }

  private JqAstNode keyword(JqToken token) {
    at++;
    switch (token.text()) {
      case "if" -> {
        return conditional();
      }
      case "try" -> {
        enter();
        JqAstNode body = operand();
        JqAstNode handler = accept("catch") ? operand() : null;
        depth--;
        return new JqAstNode.Try(body, handler);
      }
      case "reduce" -> {
        JqAstNode source = source();
        expect("as");
        List<JqAstNode.Pattern> patterns = patterns();
        expect("(");
        JqAstNode initial = group();
        expect(";");
        JqAstNode update = group();
        expect(")");
        return new JqAstNode.Reduce(source, patterns, initial, update);
      }
      case "foreach" -> {
        JqAstNode source = source();
        expect("as");
        List<JqAstNode.Pattern> patterns = patterns();
        expect("(");
        JqAstNode initial = group();
        expect(";");
        JqAstNode update = group();
        JqAstNode extract = accept(";") ? group() : null;
        expect(")");
        return new JqAstNode.Foreach(source, patterns, initial, update, extract);
      }
      default -> {
        at--;
        throw unexpected();
      }
    }
  }

  /** Parses the source of a {@code reduce} or {@code foreach}, before the {@code as}. */
  private JqAstNode source() {
    boolean outer = source;
    source = true;
    JqAstNode found = binary(JqOperatorPrecedence.ALTERNATIVE);
    source = outer;
    return found;
  }

  /** Parses the operand of {@code try} or {@code catch}: a term, possibly with a sign. */
  private JqAstNode operand() {
    return accept("-") ? new JqAstNode.Negate(postfix()) : postfix();
  }

  /** Parses the rest of an {@code if} or {@code elif}. */
  private JqAstNode conditional() {
    enter();
    JqAstNode condition = group();
    expect("then");
    JqAstNode yes = group();
    JqAstNode no;
    if (accept("elif")) {
      no = conditional();
    } else if (accept("else")) {
      no = group();
      expect("end");
    } else {
      no = new JqAstNode.Identity(peek().offset());
      expect("end");
    }
    depth--;
    return new JqAstNode.If(condition, yes, no);
  }

  private JqAstNode string(String format) {
    JqToken token = next();
    List<JqAstNode> pieces = new ArrayList<>();
    for (Part part : token.parts()) {
      pieces.add(
          switch (part) {
            case Part.Text(String fixed) -> new JqAstNode.Literal(TextNode.valueOf(fixed));
            case Part.Code(List<JqToken> code) -> new JqParser(text, code, depth + 1).whole();
          });
    }
    if (pieces.size() == 1 && token.parts().getFirst() instanceof Part.Text) {
      return pieces.getFirst();
    }
    List<JqAstNode> marked = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      boolean fixed = token.parts().get(i) instanceof Part.Text;
      marked.add(fixed ? pieces.get(i) : new JqAstNode.Pipe(List.of(pieces.get(i))));
    }
    return new JqAstNode.Text(format, marked, token.offset());
  }

  private JqAstNode object() {
    List<JqAstNode.Member> members = new ArrayList<>();
    boolean outer = member;
    if (accept("}")) {
      return new JqAstNode.MakeObject(members);
    }
    do {
      member = true;
      if (peek().is("}")) {
        break;
      }
      members.add(oneMember());
    } while (accept(","));
    member = outer;
    expect("}");
    return new JqAstNode.MakeObject(members);
  }

  private JqAstNode.Member oneMember() {
    JqToken token = peek();
    switch (token.kind()) {
      case VARIABLE -> {
        at++;
        JqAstNode value = variable(token);
        return accept(":")
            ? new JqAstNode.Member(value, pipe())
            : new JqAstNode.Member(new JqAstNode.Literal(TextNode.valueOf(token.text())), value);
      }
      case NAME, KEYWORD -> {
        at++;
        JqAstNode key = new JqAstNode.Literal(TextNode.valueOf(token.text()));
        return accept(":") ? new JqAstNode.Member(key, pipe()) : field(key, token);
      }
      case STRING -> {
        JqAstNode key = string("text");
        return accept(":") ? new JqAstNode.Member(key, pipe()) : field(key, token);
      }
      case FORMAT -> {
        JqAstNode key = primary();
        return accept(":") ? new JqAstNode.Member(key, pipe()) : field(key, token);
      }
      case NUMBER, FIELD, END -> throw unexpected();
      case OPERATOR -> {
        JqAstNode key = computedKey();
        return new JqAstNode.Member(key, pipe());
      }
    }
    throw unexpected();
  }

  private JqAstNode computedKey() {
    JqToken open = peek();
    expect("(");
    JqAstNode key = group();
    expect(")");
    expect(":");
    if (key instanceof JqAstNode.Literal(JsonNode constant) && !constant.isTextual()) {
      throw new JqSyntaxException("object keys must be strings", open.offset());
    }
    return key;
  }

  private static JqAstNode.Member field(JqAstNode key, JqToken token) {
    return new JqAstNode.Member(
        key, new JqAstNode.Index(new JqAstNode.Identity(token.offset()), key));
  }

  private List<JqAstNode.Pattern> patterns() {
    List<JqAstNode.Pattern> patterns = new ArrayList<>();
    patterns.add(pattern());
    while (peek().is("?") && tokens.get(at + 1).is("//")) {
      at += 2;
      patterns.add(pattern());
    }
    return patterns;
  }

  private JqAstNode.Pattern pattern() {
    enter();
    JqAstNode.Pattern found;
    if (accept("[")) {
      List<JqAstNode.Pattern> items = new ArrayList<>();
      do {
        items.add(pattern());
      } while (accept(","));
      expect("]");
      found = new JqAstNode.Pattern.Items(items);
    } else if (accept("{")) {
      List<JqAstNode.FieldPattern> fields = new ArrayList<>();
      do {
        fields.add(fieldPattern());
      } while (accept(","));
      expect("}");
      found = new JqAstNode.Pattern.Fields(fields);
    } else {
      found = new JqAstNode.Pattern.Name(variable());
    }
    depth--;
    return found;
  }

  private JqAstNode.FieldPattern fieldPattern() {
    JqToken token = peek();
    switch (token.kind()) {
      case VARIABLE -> {
        at++;
        JqAstNode key = new JqAstNode.Literal(TextNode.valueOf(token.text()));
        return new JqAstNode.FieldPattern(key, token.text(), accept(":") ? pattern() : null);
      }
      case NAME, KEYWORD -> {
        at++;
        expect(":");
        return new JqAstNode.FieldPattern(
            new JqAstNode.Literal(TextNode.valueOf(token.text())), null, pattern());
      }
      case STRING -> {
        JqAstNode key = string("text");
        expect(":");
        return new JqAstNode.FieldPattern(key, null, pattern());
      }
      case FORMAT, FIELD, NUMBER, END -> throw unexpected();
      case OPERATOR -> {
        JqAstNode key = computedKey();
        return new JqAstNode.FieldPattern(key, null, pattern());
      }
    }
    throw unexpected();
  }
}
