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
import dev.baton.protocol.jq.JqAstNode.FieldPattern;
import dev.baton.protocol.jq.JqAstNode.Member;
import dev.baton.protocol.jq.JqAstNode.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles a parsed program to filters, and reports every unbound name. */
final class JqCompiler {
  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "|=", "+=", "-=", "*=", "/=", "%=", "//=");

  /** A binding in scope; it corresponds to one {@link JqEnvironment} at run time. */
  private record Scope(@Nullable Scope around, String name) {}

  private int hidden;

  /**
   * @throws JqSyntaxException when a function, variable or label is not bound
   */
  static JqFilter compile(JqAstNode program) {
    return new JqCompiler().node(program, null);
  }

  /** Compiles the body of a library function: its parameters are the only bindings. */
  static JqFilter body(JqAstNode.Define definition) {
    JqCompiler compiler = new JqCompiler();
    return compiler.function(definition, null);
  }

  private JqFilter function(JqAstNode.Define definition, @Nullable Scope around) {
    Scope scope = around;
    JqAstNode body = definition.body();
    for (String parameter : definition.parameters()) {
      scope = new Scope(scope, bare(parameter) + "/0");
    }
    for (String parameter : definition.parameters().reversed()) {
      if (parameter.startsWith("$")) {
        JqAstNode value = new JqAstNode.Call(bare(parameter), List.of(), 0);
        body = new JqAstNode.As(value, List.of(new Pattern.Name(bare(parameter))), body);
      }
    }
    return node(body, scope);
  }

  private static String bare(String parameter) {
    return parameter.startsWith("$") ? parameter.substring(1) : parameter;
  }

  private JqFilter node(JqAstNode ast, @Nullable Scope scope) {
    return switch (ast) {
      case JqAstNode.Identity identity -> new JqFlowFilter.Identity();
      case JqAstNode.Literal(JsonNode value) -> new JqFlowFilter.Literal(value);
      case JqAstNode.Index(JqAstNode target, JqAstNode key) ->
          new JqAccessFilter.Index(node(target, scope), node(key, scope));
      case JqAstNode.Slice slice ->
          new JqAccessFilter.Index(node(slice.target(), scope), sliceKey(slice, scope));
      case JqAstNode.Each(JqAstNode target) -> new JqAccessFilter.Each(node(target, scope));
      case JqAstNode.Pipe(List<JqAstNode> parts) -> pipe(parts, scope);
      case JqAstNode.Comma(JqAstNode left, JqAstNode right) ->
          new JqFlowFilter.Comma(node(left, scope), node(right, scope));
      case JqAstNode.Negate(JqAstNode operand) ->
          new JqNativeCallFilter(JqCompiler::negate, List.of(node(operand, scope)), true);
      case JqAstNode.Binary binary -> binary(binary, scope);
      case JqAstNode.If(JqAstNode condition, JqAstNode yes, JqAstNode no) ->
          new JqFlowFilter.If(node(condition, scope), node(yes, scope), node(no, scope));
      case JqAstNode.Try(JqAstNode body, JqAstNode handler) ->
          new JqControlFilter.Try(node(body, scope), handler == null ? null : node(handler, scope));
      case JqAstNode.Label(String name, JqAstNode body) ->
          new JqControlFilter.MarkLabel(node(body, new Scope(scope, "*" + name)));
      case JqAstNode.Break(String name, int offset) ->
          new JqControlFilter.Break(distance(scope, "*" + name, "$*label-" + name, offset));
      case JqAstNode.As as -> bind(as, scope);
      case JqAstNode.Reduce reduce -> reduce(reduce, scope);
      case JqAstNode.Foreach foreach -> foreach(foreach, scope);
      case JqAstNode.Define define -> {
        Scope inner = new Scope(scope, bare(define.name()) + "/" + define.parameters().size());
        yield new JqFlowFilter.Define(function(define, inner), node(define.rest(), inner));
      }
      case JqAstNode.Call call -> call(call, scope);
      case JqAstNode.Variable(String name, int offset) ->
          new JqFlowFilter.Variable(distance(scope, "$" + name, "$" + name, offset));
      case JqAstNode.MakeArray(JqAstNode body) -> array(body, scope);
      case JqAstNode.MakeObject(List<Member> members) -> object(members, scope);
      case JqAstNode.Text text -> text(text, scope);
      case JqAstNode.Format(String name, int offset) ->
          new JqNativeCallFilter(JqFormatLibrary.of(name, offset), List.of(), true);
      case JqAstNode.FirstOf(List<JqAstNode> choices) ->
          new JqControlFilter.FirstWithoutError(choices.stream().map(c -> node(c, scope)).toList());
    };
  }

  private static JsonNode negate(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!a[0].isNumber()) {
      throw new JqException(JqOperatorLibrary.shown(a[0]) + " cannot be negated");
    }
    return JqArithmetic.negate(a[0]);
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

  private JqFilter pipe(List<JqAstNode> parts, @Nullable Scope scope) {
    JqFilter all = node(parts.getLast(), scope);
    for (int i = parts.size() - 2; i >= 0; i--) {
      all = new JqFlowFilter.Pipe(node(parts.get(i), scope), all);
    }
    return all;
  }

  private JqFilter sliceKey(JqAstNode.Slice slice, @Nullable Scope scope) {
    JqAstNode from = slice.from();
    JqAstNode to = slice.to();
    JqFilter none = new JqFlowFilter.Literal(JqEvaluator.NULL);
    return new JqNativeCallFilter(
        (m, in, a) -> {
          m.charge(JqMemoryEstimator.OBJECT);
          ObjectNode key = JqTypeSystem.object();
          key.set("start", a[0]);
          key.set("end", a[1]);
          return key;
        },
        List.of(from == null ? none : node(from, scope), to == null ? none : node(to, scope)),
        true);
  }

  private JqFilter binary(JqAstNode.Binary binary, @Nullable Scope scope) {
    String operator = binary.operator();
    if (ASSIGNMENTS.contains(operator)) {
      if (operator.equals("|=")
          && binary.left() instanceof JqAstNode.Each(JqAstNode.Identity all)) {
        return call(new JqAstNode.Call("_modify_each", List.of(binary.right()), 0), null, scope);
      }
      List<JqAstNode> sides = List.of(binary.left(), binary.right());
      return call(
          new JqAstNode.Call(JqFunctionRegistry.assignment(operator), sides, 0), null, scope);
    }
    JqFilter left = node(binary.left(), scope);
    JqFilter right = node(binary.right(), scope);
    JqFilter yes = new JqFlowFilter.Literal(JqTypeSystem.bool(true));
    JqFilter no = new JqFlowFilter.Literal(JqTypeSystem.bool(false));
    return switch (operator) {
      case "//" -> new JqControlFilter.Alternative(left, right);
      case "and" -> new JqFlowFilter.If(left, new JqFlowFilter.If(right, yes, no), no);
      case "or" -> new JqFlowFilter.If(left, yes, new JqFlowFilter.If(right, yes, no));
      default -> new JqNativeCallFilter(JqOperatorLibrary.of(operator), List.of(left, right), true);
    };
  }

  private JqFilter bind(JqAstNode.As as, @Nullable Scope scope) {
    if (as.patterns().size() == 1) {
      if (as.patterns().getFirst() instanceof Pattern.Name(String name)) {
        Scope inner = new Scope(scope, "$" + name);
        return new JqFlowFilter.Bind(node(as.source(), scope), node(as.body(), inner));
      }
      return node(simplified(as.source(), as.patterns().getFirst(), as.body()), scope);
    }
    // The body becomes a function of all the variables, so that it is compiled once.
    Set<String> names = new LinkedHashSet<>();
    as.patterns().forEach(pattern -> names(pattern, names));
    String value = hiddenName();
    String body = hiddenName();
    List<JqAstNode> variables = new ArrayList<>();
    names.forEach(name -> variables.add(new JqAstNode.Variable(name, 0)));
    JqAstNode call = new JqAstNode.Call(body, variables, 0);
    List<JqAstNode> choices = new ArrayList<>();
    for (Pattern pattern : as.patterns()) {
      choices.add(simplified(new JqAstNode.Variable(value, 0), pattern, call));
    }
    JqAstNode all = new JqAstNode.FirstOf(choices);
    for (String name : names) {
      all =
          new JqAstNode.As(
              new JqAstNode.Literal(JqEvaluator.NULL), List.of(new Pattern.Name(name)), all);
    }
    List<String> parameters = names.stream().map(name -> "$" + name).toList();
    all = new JqAstNode.Define(body, parameters, as.body(), all);
    return node(new JqAstNode.As(as.source(), List.of(new Pattern.Name(value)), all), scope);
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

  /** Rewrites patterns to plain names. */
  private JqAstNode simplified(JqAstNode source, Pattern pattern, JqAstNode body) {
    switch (pattern) {
      case Pattern.Name name -> {
        return new JqAstNode.As(source, List.of(name), body);
      }
      case Pattern.Items(List<Pattern> items) -> {
        String value = hiddenName();
        JqAstNode inner = body;
        for (int i = items.size() - 1; i >= 0; i--) {
          JqAstNode key = new JqAstNode.Literal(JqArithmetic.of(i));
          inner =
              simplified(
                  new JqAstNode.Index(new JqAstNode.Variable(value, 0), key), items.get(i), inner);
        }
        return new JqAstNode.As(source, List.of(new Pattern.Name(value)), inner);
      }
      case Pattern.Fields(List<FieldPattern> fields) -> {
        String value = hiddenName();
        JqAstNode inner = body;
        for (FieldPattern field : fields.reversed()) {
          inner =
              field(
                  new JqAstNode.Index(new JqAstNode.Variable(value, 0), field.key()), field, inner);
        }
        return new JqAstNode.As(source, List.of(new Pattern.Name(value)), inner);
      }
    }
  }

  private JqAstNode field(JqAstNode source, FieldPattern field, JqAstNode body) {
    String variable = field.variable();
    Pattern pattern = field.pattern();
    if (variable == null) {
      return pattern == null ? body : simplified(source, pattern, body);
    }
    JqAstNode inner =
        pattern == null ? body : simplified(new JqAstNode.Variable(variable, 0), pattern, body);
    return new JqAstNode.As(source, List.of(new Pattern.Name(variable)), inner);
  }

  private JqFilter reduce(JqAstNode.Reduce reduce, @Nullable Scope scope) {
    String item = itemName(reduce.patterns());
    Scope inner = new Scope(scope, "$" + item);
    return new JqFoldFilter.Reduce(
        node(reduce.source(), scope),
        node(reduce.initial(), scope),
        node(ofItem(item, reduce.patterns(), reduce.update()), inner));
  }

  private JqFilter foreach(JqAstNode.Foreach foreach, @Nullable Scope scope) {
    String item = itemName(foreach.patterns());
    Scope inner = new Scope(scope, "$" + item);
    JqAstNode extract = foreach.extract();
    return new JqFoldFilter.Foreach(
        node(foreach.source(), scope),
        node(foreach.initial(), scope),
        node(ofItem(item, foreach.patterns(), foreach.update()), inner),
        extract == null
            ? new JqFlowFilter.Identity()
            : node(ofItem(item, foreach.patterns(), extract), inner));
  }

  private String itemName(List<Pattern> patterns) {
    return patterns.size() == 1 && patterns.getFirst() instanceof Pattern.Name(String name)
        ? name
        : hiddenName();
  }

  private static JqAstNode ofItem(String item, List<Pattern> patterns, JqAstNode body) {
    boolean bound = patterns.size() == 1 && patterns.getFirst() instanceof Pattern.Name;
    return bound ? body : new JqAstNode.As(new JqAstNode.Variable(item, 0), patterns, body);
  }

  private JqFilter array(@Nullable JqAstNode body, @Nullable Scope scope) {
    if (body == null) {
      return new JqNativeCallFilter((m, in, a) -> JqTypeSystem.array(), List.of(), true);
    }
    JqFilter inner = node(body, scope);
    return inner.simple
        ? new JqNativeCallFilter(JqCompiler::arrayOf, List.of(inner), true)
        : new JqControlFilter.Collect(inner);
  }

  private static JsonNode arrayOf(JqEvaluator m, JsonNode in, JsonNode[] a) {
    m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * a.length);
    ArrayNode array = JqTypeSystem.array(a.length);
    for (JsonNode element : a) {
      array.add(element);
    }
    return array;
  }

  private JqFilter object(List<Member> members, @Nullable Scope scope) {
    List<JqFilter> parts = new ArrayList<>();
    for (Member member : members) {
      parts.add(node(member.key(), scope));
      parts.add(node(member.value(), scope));
    }
    return new JqNativeCallFilter(
        (m, in, a) -> {
          m.charge(JqMemoryEstimator.OBJECT + (long) JqMemoryEstimator.MEMBER * a.length / 2);
          ObjectNode object = JqTypeSystem.object();
          for (int i = 0; i < a.length; i += 2) {
            if (!a[i].isTextual()) {
              throw new JqException("Object keys must be strings");
            }
            object.set(a[i].textValue(), a[i + 1]);
          }
          return object;
        },
        parts,
        false);
  }

  private JqFilter text(JqAstNode.Text text, @Nullable Scope scope) {
    JqNativeCallFilter.Function format = JqFormatLibrary.of(text.format(), text.offset());
    List<JqFilter> pieces = new ArrayList<>();
    List<Boolean> fixed = new ArrayList<>();
    for (JqAstNode piece : text.pieces()) {
      fixed.add(piece instanceof JqAstNode.Literal);
      pieces.add(node(piece, scope));
    }
    JsonNode[] none = {};
    return new JqNativeCallFilter(
        (m, in, a) -> {
          StringBuilder out = new StringBuilder();
          for (int i = 0; i < a.length; i++) {
            JsonNode piece = fixed.get(i) ? a[i] : format.apply(m, a[i], none);
            m.charge(2L * piece.textValue().length());
            out.append(piece.textValue());
          }
          m.charge(JqMemoryEstimator.TEXT);
          return JqTypeSystem.text(out.toString());
        },
        pieces,
        true);
  }

  private JqFilter call(JqAstNode.Call call, @Nullable Scope scope) {
    return call(call, scope, scope);
  }

  /**
   * @param names the scope in which the function's name is looked up; null for the library only
   */
  private JqFilter call(JqAstNode.Call call, @Nullable Scope names, @Nullable Scope scope) {
    String name = call.name() + "/" + call.arguments().size();
    List<JqFilter> arguments = new ArrayList<>();
    for (JqAstNode argument : call.arguments()) {
      arguments.add(node(argument, scope));
    }
    int distance = find(names, name);
    if (distance >= 0) {
      return new JqFlowFilter.Call(distance, arguments);
    }
    JqFilter built = JqFunctionRegistry.call(name, arguments);
    if (built == null) {
      throw new JqSyntaxException(
          "function " + name + " does not exist in expressions", call.offset());
    }
    return built;
  }
}
