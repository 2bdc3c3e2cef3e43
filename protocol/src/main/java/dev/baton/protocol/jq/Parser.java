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
import dev.baton.protocol.jq.Token.Kind;
import dev.baton.protocol.jq.Token.Part;
import java.util.ArrayList;
import java.util.List;

/** Parses a program by recursive descent with jq's precedences. */
final class Parser extends TokenReader {
  /** Within a member of an object, where a comma begins the next member. */
  private boolean member;

  /** Where {@code as} belongs to a {@code reduce} or {@code foreach}. */
  private boolean source;

  private Parser(String text, List<Token> tokens, int depth) {
    super(text, tokens, depth);
  }

  /**
   * @throws JqSyntaxException when the text is not jq, or nested more than {@value #MAX_DEPTH} deep
   */
  static Ast parse(String text) {
    Parser parser = new Parser(text, Lexer.tokens(text), 0);
    return parser.whole();
  }

  /** Definitions only, one after the other. */
  static List<Ast.Define> definitions(String text) {
    Parser parser = new Parser(text, Lexer.tokens(text), 0);
    List<Ast.Define> found = new ArrayList<>();
    while (parser.peek().is("def")) {
      found.add(parser.definition());
    }
    if (parser.peek().kind() != Kind.END) {
      throw parser.unexpected();
    }
    return found;
  }

  private Ast whole() {
    Token first = peek();
    if (first.is("module") || first.is("import") || first.is("include")) {
      throw new JqSyntaxException("modules are not available in expressions", first.offset());
    }
    Ast all = pipe();
    if (peek().kind() != Kind.END) {
      throw unexpected();
    }
    return all;
  }

  /** A pipe within brackets of any kind, where a comma is the operator again. */
  private Ast group() {
    boolean outerMember = member;
    boolean outerSource = source;
    member = false;
    source = false;
    Ast inner = pipe();
    member = outerMember;
    source = outerSource;
    return inner;
  }

  private Ast pipe() {
    enter();
    List<Ast> parts = new ArrayList<>();
    do {
      parts.add(binary(Precedence.COMMA));
    } while (accept("|"));
    depth--;
    return parts.size() == 1 ? parts.getFirst() : new Ast.Pipe(parts);
  }

  private Ast binary(int lowest) {
    Ast left = unary();
    while (true) {
      Token operator = peek();
      int level = level(operator);
      if (level < lowest) {
        return left;
      }
      at++;
      if (level == Precedence.ALTERNATIVE) {
        enter();
        left = new Ast.Binary(operator.text(), left, binary(level));
        depth--;
        continue;
      }
      Ast right = binary(level + 1);
      left =
          level == Precedence.COMMA
              ? new Ast.Comma(left, right)
              : new Ast.Binary(operator.text(), left, right);
      if ((level == Precedence.ASSIGN || level == Precedence.COMPARE) && level(peek()) == level) {
        throw unexpected();
      }
    }
  }

  private int level(Token token) {
    if (token.kind() != Kind.OPERATOR && token.kind() != Kind.KEYWORD) {
      return -1;
    }
    int level = Precedence.of(token.text());
    return level == Precedence.COMMA && member ? -1 : level;
  }

  private Ast unary() {
    Token token = peek();
    if (token.is("-")) {
      at++;
      enter();
      Ast operand = new Ast.Negate(binary(Precedence.TIMES));
      depth--;
      return operand;
    }
    if (token.is("def")) {
      Ast.Define head = definition();
      return new Ast.Define(head.name(), head.parameters(), head.body(), pipe());
    }
    if (token.is("label")) {
      at++;
      String name = variable();
      expect("|");
      return new Ast.Label(name, pipe());
    }
    Ast term = postfix();
    if (!source && accept("as")) {
      List<Ast.Pattern> patterns = patterns();
      expect("|");
      return new Ast.As(term, patterns, pipe());
    }
    return term;
  }

  private Ast.Define definition() {
    expect("def");
    Token name = next();
    if (name.kind() != Kind.NAME && name.kind() != Kind.KEYWORD) {
      at--;
      throw unexpected();
    }
    List<String> parameters = new ArrayList<>();
    if (accept("(")) {
      do {
        Token parameter = next();
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
    Ast body = group();
    expect(";");
    return new Ast.Define(name.text(), parameters, body, new Ast.Identity(name.offset()));
  }

  private String variable() {
    if (peek().kind() != Kind.VARIABLE) {
      throw unexpected();
    }
    return next().text();
  }

  private Ast postfix() {
    Ast term = primary();
    while (true) {
      Token token = peek();
      if (token.kind() == Kind.FIELD) {
        at++;
        term = new Ast.Index(term, new Ast.Literal(TextNode.valueOf(token.text())));
      } else if (token.is(".") && tokens.get(at + 1).kind() == Kind.STRING) {
        at++;
        term = new Ast.Index(term, string("text"));
      } else if (token.is(".") && tokens.get(at + 1).is("[")) {
        at++;
      } else if (token.is("[")) {
        at++;
        term = bracket(term);
      } else if (token.is("?")) {
        at++;
        term = new Ast.Try(term, null);
      } else {
        return term;
      }
    }
  }

  /** After an opening bracket: an index, a slice, or all elements. */
  private Ast bracket(Ast target) {
    if (accept("]")) {
      return new Ast.Each(target);
    }
    if (accept(":")) {
      Ast to = group();
      expect("]");
      return new Ast.Slice(target, null, to);
    }
    Ast key = group();
    if (accept("]")) {
      return new Ast.Index(target, key);
    }
    expect(":");
    if (accept("]")) {
      return new Ast.Slice(target, key, null);
    }
    Ast to = group();
    expect("]");
    return new Ast.Slice(target, key, to);
  }

  private Ast primary() {
    Token token = peek();
    return switch (token.kind()) {
      case NUMBER -> {
        at++;
        yield new Ast.Literal(Numbers.literal(token));
      }
      case STRING -> string("text");
      case FORMAT -> {
        at++;
        yield peek().kind() == Kind.STRING
            ? string(token.text())
            : new Ast.Format(token.text(), token.offset());
      }
      case FIELD -> {
        at++;
        yield new Ast.Index(
            new Ast.Identity(token.offset()), new Ast.Literal(TextNode.valueOf(token.text())));
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

  private Ast variable(Token token) {
    if (token.text().equals("__loc__")) {
      int line = 1 + (int) text.substring(0, token.offset()).chars().filter(c -> c == '\n').count();
      return new Ast.Literal(
          JsonNodeFactory.instance.objectNode().put("file", "<top-level>").put("line", line));
    }
    if (token.text().equals("ENV") || token.text().startsWith("__")) {
      throw new JqSyntaxException(
          "$" + token.text() + " is not available in expressions", token.offset());
    }
    return new Ast.Variable(token.text(), token.offset());
  }

  private Ast operator(Token token) {
    switch (token.text()) {
      case "." -> {
        at++;
        if (peek().kind() == Kind.STRING) {
          return new Ast.Index(new Ast.Identity(token.offset()), string("text"));
        }
        return new Ast.Identity(token.offset());
      }
      case ".." -> {
        at++;
        return new Ast.Call("recurse", List.of(), token.offset());
      }
      case "(" -> {
        at++;
        Ast inner = group();
        expect(")");
        return inner;
      }
      case "[" -> {
        at++;
        if (accept("]")) {
          return new Ast.MakeArray(null);
        }
        Ast inner = group();
        expect("]");
        return new Ast.MakeArray(inner);
      }
      case "{" -> {
        at++;
        return object();
      }
      default -> throw unexpected();
    }
  }

  private Ast call(Token name) {
    if (!peek().is("(")) {
      switch (name.text()) {
        case "true", "false" -> {
          return new Ast.Literal(BooleanNode.valueOf(name.text().equals("true")));
        }
        case "null" -> {
          return new Ast.Literal(NullNode.getInstance());
        }
        case "break" -> {
          return new Ast.Break(variable(), name.offset());
        }
        default -> {
          return new Ast.Call(name.text(), List.of(), name.offset());
        }
      }
    }
    at++;
    List<Ast> arguments = new ArrayList<>();
    do {
      arguments.add(group());
    } while (accept(";"));
    expect(")");
    return new Ast.Call(name.text(), arguments, name.offset());
  }

  private Ast keyword(Token token) {
    at++;
    switch (token.text()) {
      case "if" -> {
        return conditional();
      }
      case "try" -> {
        enter();
        Ast body = operand();
        Ast handler = accept("catch") ? operand() : null;
        depth--;
        return new Ast.Try(body, handler);
      }
      case "reduce" -> {
        Ast source = source();
        expect("as");
        List<Ast.Pattern> patterns = patterns();
        expect("(");
        Ast initial = group();
        expect(";");
        Ast update = group();
        expect(")");
        return new Ast.Reduce(source, patterns, initial, update);
      }
      case "foreach" -> {
        Ast source = source();
        expect("as");
        List<Ast.Pattern> patterns = patterns();
        expect("(");
        Ast initial = group();
        expect(";");
        Ast update = group();
        Ast extract = accept(";") ? group() : null;
        expect(")");
        return new Ast.Foreach(source, patterns, initial, update, extract);
      }
      default -> {
        at--;
        throw unexpected();
      }
    }
  }

  /** What {@code reduce} and {@code foreach} go through, before the {@code as}. */
  private Ast source() {
    boolean outer = source;
    source = true;
    Ast found = binary(Precedence.ALTERNATIVE);
    source = outer;
    return found;
  }

  /** What {@code try} and {@code catch} take: a term, or one with a sign. */
  private Ast operand() {
    return accept("-") ? new Ast.Negate(postfix()) : postfix();
  }

  /** After {@code if} or {@code elif}. */
  private Ast conditional() {
    enter();
    Ast condition = group();
    expect("then");
    Ast yes = group();
    Ast no;
    if (accept("elif")) {
      no = conditional();
    } else if (accept("else")) {
      no = group();
      expect("end");
    } else {
      no = new Ast.Identity(peek().offset());
      expect("end");
    }
    depth--;
    return new Ast.If(condition, yes, no);
  }

  private Ast string(String format) {
    Token token = next();
    List<Ast> pieces = new ArrayList<>();
    for (Part part : token.parts()) {
      pieces.add(
          switch (part) {
            case Part.Text(String fixed) -> new Ast.Literal(TextNode.valueOf(fixed));
            case Part.Code(List<Token> code) -> new Parser(text, code, depth + 1).whole();
          });
    }
    if (pieces.size() == 1 && token.parts().getFirst() instanceof Part.Text) {
      return pieces.getFirst();
    }
    List<Ast> marked = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      boolean fixed = token.parts().get(i) instanceof Part.Text;
      marked.add(fixed ? pieces.get(i) : new Ast.Pipe(List.of(pieces.get(i))));
    }
    return new Ast.Text(format, marked, token.offset());
  }

  private Ast object() {
    List<Ast.Member> members = new ArrayList<>();
    boolean outer = member;
    if (accept("}")) {
      return new Ast.MakeObject(members);
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
    return new Ast.MakeObject(members);
  }

  private Ast.Member oneMember() {
    Token token = peek();
    switch (token.kind()) {
      case VARIABLE -> {
        at++;
        Ast value = variable(token);
        return accept(":")
            ? new Ast.Member(value, pipe())
            : new Ast.Member(new Ast.Literal(TextNode.valueOf(token.text())), value);
      }
      case NAME, KEYWORD -> {
        at++;
        Ast key = new Ast.Literal(TextNode.valueOf(token.text()));
        return accept(":") ? new Ast.Member(key, pipe()) : field(key, token);
      }
      case STRING -> {
        Ast key = string("text");
        return accept(":") ? new Ast.Member(key, pipe()) : field(key, token);
      }
      case FORMAT -> {
        Ast key = primary();
        return accept(":") ? new Ast.Member(key, pipe()) : field(key, token);
      }
      case NUMBER, FIELD, END -> throw unexpected();
      case OPERATOR -> {
        Ast key = computedKey();
        return new Ast.Member(key, pipe());
      }
    }
    throw unexpected();
  }

  private Ast computedKey() {
    Token open = peek();
    expect("(");
    Ast key = group();
    expect(")");
    expect(":");
    if (key instanceof Ast.Literal(JsonNode constant) && !constant.isTextual()) {
      throw new JqSyntaxException("object keys must be strings", open.offset());
    }
    return key;
  }

  private static Ast.Member field(Ast key, Token token) {
    return new Ast.Member(key, new Ast.Index(new Ast.Identity(token.offset()), key));
  }

  private List<Ast.Pattern> patterns() {
    List<Ast.Pattern> patterns = new ArrayList<>();
    patterns.add(pattern());
    while (peek().is("?") && tokens.get(at + 1).is("//")) {
      at += 2;
      patterns.add(pattern());
    }
    return patterns;
  }

  private Ast.Pattern pattern() {
    enter();
    Ast.Pattern found;
    if (accept("[")) {
      List<Ast.Pattern> items = new ArrayList<>();
      do {
        items.add(pattern());
      } while (accept(","));
      expect("]");
      found = new Ast.Pattern.Items(items);
    } else if (accept("{")) {
      List<Ast.FieldPattern> fields = new ArrayList<>();
      do {
        fields.add(fieldPattern());
      } while (accept(","));
      expect("}");
      found = new Ast.Pattern.Fields(fields);
    } else {
      found = new Ast.Pattern.Name(variable());
    }
    depth--;
    return found;
  }

  private Ast.FieldPattern fieldPattern() {
    Token token = peek();
    switch (token.kind()) {
      case VARIABLE -> {
        at++;
        Ast key = new Ast.Literal(TextNode.valueOf(token.text()));
        return new Ast.FieldPattern(key, token.text(), accept(":") ? pattern() : null);
      }
      case NAME, KEYWORD -> {
        at++;
        expect(":");
        return new Ast.FieldPattern(
            new Ast.Literal(TextNode.valueOf(token.text())), null, pattern());
      }
      case STRING -> {
        Ast key = string("text");
        expect(":");
        return new Ast.FieldPattern(key, null, pattern());
      }
      case FORMAT, FIELD, NUMBER, END -> throw unexpected();
      case OPERATOR -> {
        Ast key = computedKey();
        return new Ast.FieldPattern(key, null, pattern());
      }
    }
    throw unexpected();
  }
}
