/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.jq.Ast.FieldPattern;
import dev.baton.protocol.jq.Ast.Member;
import dev.baton.protocol.jq.Ast.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns a parsed program into filters, and finds every name that is not bound. */
final class Compiler {
  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "|=", "+=", "-=", "*=", "/=", "%=", "//=");

  /** A binding in scope: one {@link Env} at run time. */
  private record Scope(@Nullable Scope around, String name) {}

  private int hidden;

  /**
   * @throws JqSyntaxException when a function, variable or label is not bound
   */
  static Node compile(Ast program) {
    return new Compiler().node(program, null);
  }

  /** The body of a library function: its parameters are the only bindings. */
  static Node body(Ast.Define definition) {
    Compiler compiler = new Compiler();
    return compiler.function(definition, null);
  }

  private Node function(Ast.Define definition, @Nullable Scope around) {
    Scope scope = around;
    Ast body = definition.body();
    for (String parameter : definition.parameters()) {
      scope = new Scope(scope, bare(parameter) + "/0");
    }
    for (String parameter : definition.parameters().reversed()) {
      if (parameter.startsWith("$")) {
        Ast value = new Ast.Call(bare(parameter), List.of(), 0);
        body = new Ast.As(value, List.of(new Pattern.Name(bare(parameter))), body);
      }
    }
    return node(body, scope);
  }

  private static String bare(String parameter) {
    return parameter.startsWith("$") ? parameter.substring(1) : parameter;
  }

  private Node node(Ast ast, @Nullable Scope scope) {
    return switch (ast) {
      case Ast.Identity identity -> new Flow.Identity();
      case Ast.Literal(JsonNode value) -> new Flow.Literal(value);
      case Ast.Index(Ast target, Ast key) ->
          new Access.Index(node(target, scope), node(key, scope));
      case Ast.Slice slice -> new Access.Index(node(slice.target(), scope), sliceKey(slice, scope));
      case Ast.Each(Ast target) -> new Access.Each(node(target, scope));
      case Ast.Pipe(List<Ast> parts) -> pipe(parts, scope);
      case Ast.Comma(Ast left, Ast right) -> new Flow.Comma(node(left, scope), node(right, scope));
      case Ast.Negate(Ast operand) ->
          new Apply(Compiler::negate, List.of(node(operand, scope)), true);
      case Ast.Binary binary -> binary(binary, scope);
      case Ast.If(Ast condition, Ast yes, Ast no) ->
          new Flow.If(node(condition, scope), node(yes, scope), node(no, scope));
      case Ast.Try(Ast body, Ast handler) ->
          new Control.Try(node(body, scope), handler == null ? null : node(handler, scope));
      case Ast.Label(String name, Ast body) ->
          new Control.MarkLabel(node(body, new Scope(scope, "*" + name)));
      case Ast.Break(String name, int offset) ->
          new Control.Break(distance(scope, "*" + name, "$*label-" + name, offset));
      case Ast.As as -> bind(as, scope);
      case Ast.Reduce reduce -> reduce(reduce, scope);
      case Ast.Foreach foreach -> foreach(foreach, scope);
      case Ast.Define define -> {
        Scope inner = new Scope(scope, bare(define.name()) + "/" + define.parameters().size());
        yield new Flow.Define(function(define, inner), node(define.rest(), inner));
      }
      case Ast.Call call -> call(call, scope);
      case Ast.Variable(String name, int offset) ->
          new Flow.Variable(distance(scope, "$" + name, "$" + name, offset));
      case Ast.MakeArray(Ast body) -> array(body, scope);
      case Ast.MakeObject(List<Member> members) -> object(members, scope);
      case Ast.Text text -> text(text, scope);
      case Ast.Format(String name, int offset) ->
          new Apply(Formats.of(name, offset), List.of(), true);
      case Ast.FirstOf(List<Ast> choices) ->
          new Control.FirstWithoutError(choices.stream().map(c -> node(c, scope)).toList());
    };
  }

  private static JsonNode negate(Machine m, JsonNode in, JsonNode[] a) {
    if (!a[0].isNumber()) {
      throw new JqError(Operators.shown(a[0]) + " cannot be negated");
    }
    return Numbers.negate(a[0]);
  }

  private static int distance(@Nullable Scope scope, String name, String shown, int offset) {
    int distance = find(scope, name);
    if (distance < 0) {
      throw new JqSyntaxException(shown + " is not defined", offset);
    }
    return distance;
  }

  private static int find(@Nullable Scope scope, String name) {
    int distance = 0;
    for (Scope at = scope; at != null; at = at.around()) {
      if (at.name().equals(name)) {
        return distance;
      }
      distance++;
    }
    return -1;
  }

  private Node pipe(List<Ast> parts, @Nullable Scope scope) {
    Node all = node(parts.getLast(), scope);
    for (int i = parts.size() - 2; i >= 0; i--) {
      all = new Flow.Pipe(node(parts.get(i), scope), all);
    }
    return all;
  }

  private Node sliceKey(Ast.Slice slice, @Nullable Scope scope) {
    Ast from = slice.from();
    Ast to = slice.to();
    Node none = new Flow.Literal(Machine.NULL);
    return new Apply(
        (m, in, a) -> {
          m.charge(LiveBytes.OBJECT);
          ObjectNode key = Values.object();
          key.set("start", a[0]);
          key.set("end", a[1]);
          return key;
        },
        List.of(from == null ? none : node(from, scope), to == null ? none : node(to, scope)),
        true);
  }

  private Node binary(Ast.Binary binary, @Nullable Scope scope) {
    String operator = binary.operator();
    if (ASSIGNMENTS.contains(operator)) {
      if (operator.equals("|=") && binary.left() instanceof Ast.Each(Ast.Identity all)) {
        return call(new Ast.Call("_modify_each", List.of(binary.right()), 0), null, scope);
      }
      List<Ast> sides = List.of(binary.left(), binary.right());
      return call(new Ast.Call(Library.assignment(operator), sides, 0), null, scope);
    }
    Node left = node(binary.left(), scope);
    Node right = node(binary.right(), scope);
    Node yes = new Flow.Literal(Values.bool(true));
    Node no = new Flow.Literal(Values.bool(false));
    return switch (operator) {
      case "//" -> new Control.Alternative(left, right);
      case "and" -> new Flow.If(left, new Flow.If(right, yes, no), no);
      case "or" -> new Flow.If(left, yes, new Flow.If(right, yes, no));
      default -> new Apply(Operators.of(operator), List.of(left, right), true);
    };
  }

  private Node bind(Ast.As as, @Nullable Scope scope) {
    if (as.patterns().size() == 1) {
      if (as.patterns().getFirst() instanceof Pattern.Name(String name)) {
        Scope inner = new Scope(scope, "$" + name);
        return new Flow.Bind(node(as.source(), scope), node(as.body(), inner));
      }
      return node(simplified(as.source(), as.patterns().getFirst(), as.body()), scope);
    }
    // The body is a function of all the variables, so that it is compiled once.
    Set<String> names = new LinkedHashSet<>();
    as.patterns().forEach(pattern -> names(pattern, names));
    String value = hiddenName();
    String body = hiddenName();
    List<Ast> variables = new ArrayList<>();
    names.forEach(name -> variables.add(new Ast.Variable(name, 0)));
    Ast call = new Ast.Call(body, variables, 0);
    List<Ast> choices = new ArrayList<>();
    for (Pattern pattern : as.patterns()) {
      choices.add(simplified(new Ast.Variable(value, 0), pattern, call));
    }
    Ast all = new Ast.FirstOf(choices);
    for (String name : names) {
      all = new Ast.As(new Ast.Literal(Machine.NULL), List.of(new Pattern.Name(name)), all);
    }
    List<String> parameters = names.stream().map(name -> "$" + name).toList();
    all = new Ast.Define(body, parameters, as.body(), all);
    return node(new Ast.As(as.source(), List.of(new Pattern.Name(value)), all), scope);
  }

  private String hiddenName() {
    return " " + hidden++;
  }

  private static void names(Pattern pattern, Set<String> found) {
    switch (pattern) {
      case Pattern.Name(String name) -> found.add(name);
      case Pattern.Items(List<Pattern> items) -> items.forEach(item -> names(item, found));
      case Pattern.Fields(List<FieldPattern> fields) -> {
        for (FieldPattern field : fields) {
          if (field.variable() != null) {
            found.add(field.variable());
          }
          if (field.pattern() != null) {
            names(field.pattern(), found);
          }
        }
      }
    }
  }

  /** The same with patterns that are names only. */
  private Ast simplified(Ast source, Pattern pattern, Ast body) {
    switch (pattern) {
      case Pattern.Name name -> {
        return new Ast.As(source, List.of(name), body);
      }
      case Pattern.Items(List<Pattern> items) -> {
        String value = hiddenName();
        Ast inner = body;
        for (int i = items.size() - 1; i >= 0; i--) {
          Ast key = new Ast.Literal(Numbers.of(i));
          inner = simplified(new Ast.Index(new Ast.Variable(value, 0), key), items.get(i), inner);
        }
        return new Ast.As(source, List.of(new Pattern.Name(value)), inner);
      }
      case Pattern.Fields(List<FieldPattern> fields) -> {
        String value = hiddenName();
        Ast inner = body;
        for (FieldPattern field : fields.reversed()) {
          inner = field(new Ast.Index(new Ast.Variable(value, 0), field.key()), field, inner);
        }
        return new Ast.As(source, List.of(new Pattern.Name(value)), inner);
      }
    }
  }

  private Ast field(Ast source, FieldPattern field, Ast body) {
    String variable = field.variable();
    Pattern pattern = field.pattern();
    if (variable == null) {
      return pattern == null ? body : simplified(source, pattern, body);
    }
    Ast inner = pattern == null ? body : simplified(new Ast.Variable(variable, 0), pattern, body);
    return new Ast.As(source, List.of(new Pattern.Name(variable)), inner);
  }

  private Node reduce(Ast.Reduce reduce, @Nullable Scope scope) {
    String item = itemName(reduce.patterns());
    Scope inner = new Scope(scope, "$" + item);
    return new Folds.Reduce(
        node(reduce.source(), scope),
        node(reduce.initial(), scope),
        node(ofItem(item, reduce.patterns(), reduce.update()), inner));
  }

  private Node foreach(Ast.Foreach foreach, @Nullable Scope scope) {
    String item = itemName(foreach.patterns());
    Scope inner = new Scope(scope, "$" + item);
    Ast extract = foreach.extract();
    return new Folds.Foreach(
        node(foreach.source(), scope),
        node(foreach.initial(), scope),
        node(ofItem(item, foreach.patterns(), foreach.update()), inner),
        extract == null
            ? new Flow.Identity()
            : node(ofItem(item, foreach.patterns(), extract), inner));
  }

  private String itemName(List<Pattern> patterns) {
    return patterns.size() == 1 && patterns.getFirst() instanceof Pattern.Name(String name)
        ? name
        : hiddenName();
  }

  private static Ast ofItem(String item, List<Pattern> patterns, Ast body) {
    boolean bound = patterns.size() == 1 && patterns.getFirst() instanceof Pattern.Name;
    return bound ? body : new Ast.As(new Ast.Variable(item, 0), patterns, body);
  }

  private Node array(@Nullable Ast body, @Nullable Scope scope) {
    if (body == null) {
      return new Apply((m, in, a) -> Values.array(), List.of(), true);
    }
    Node inner = node(body, scope);
    return inner.simple
        ? new Apply(Compiler::arrayOf, List.of(inner), true)
        : new Control.Collect(inner);
  }

  private static JsonNode arrayOf(Machine m, JsonNode in, JsonNode[] a) {
    m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * a.length);
    ArrayNode array = Values.array(a.length);
    for (JsonNode element : a) {
      array.add(element);
    }
    return array;
  }

  private Node object(List<Member> members, @Nullable Scope scope) {
    List<Node> parts = new ArrayList<>();
    for (Member member : members) {
      parts.add(node(member.key(), scope));
      parts.add(node(member.value(), scope));
    }
    return new Apply(
        (m, in, a) -> {
          m.charge(LiveBytes.OBJECT + (long) LiveBytes.MEMBER * a.length / 2);
          ObjectNode object = Values.object();
          for (int i = 0; i < a.length; i += 2) {
            if (!a[i].isTextual()) {
              throw new JqError("Object keys must be strings");
            }
            object.set(a[i].textValue(), a[i + 1]);
          }
          return object;
        },
        parts,
        false);
  }

  private Node text(Ast.Text text, @Nullable Scope scope) {
    Apply.Function format = Formats.of(text.format(), text.offset());
    List<Node> pieces = new ArrayList<>();
    List<Boolean> fixed = new ArrayList<>();
    for (Ast piece : text.pieces()) {
      fixed.add(piece instanceof Ast.Literal);
      pieces.add(node(piece, scope));
    }
    JsonNode[] none = {};
    return new Apply(
        (m, in, a) -> {
          StringBuilder out = new StringBuilder();
          for (int i = 0; i < a.length; i++) {
            JsonNode piece = fixed.get(i) ? a[i] : format.apply(m, a[i], none);
            m.charge(2L * piece.textValue().length());
            out.append(piece.textValue());
          }
          m.charge(LiveBytes.TEXT);
          return Values.text(out.toString());
        },
        pieces,
        true);
  }

  private Node call(Ast.Call call, @Nullable Scope scope) {
    return call(call, scope, scope);
  }

  /**
   * @param names where the function's name is looked up; null for the library only
   */
  private Node call(Ast.Call call, @Nullable Scope names, @Nullable Scope scope) {
    String name = call.name() + "/" + call.arguments().size();
    List<Node> arguments = new ArrayList<>();
    for (Ast argument : call.arguments()) {
      arguments.add(node(argument, scope));
    }
    int distance = find(names, name);
    if (distance >= 0) {
      return new Flow.Call(distance, arguments);
    }
    Node built = Library.call(name, arguments);
    if (built == null) {
      throw new JqSyntaxException(
          "function " + name + " does not exist in expressions", call.offset());
    }
    return built;
  }
}
