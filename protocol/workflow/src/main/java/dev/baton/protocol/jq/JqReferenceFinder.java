/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the paths that a program certainly reads from its input, by a walk over its tree. After a
 * pipe, and in functions that evaluate their argument on another value, the dot is no longer the
 * input.
 */
final class JqReferenceFinder {
  /** Functions, with the arguments that they evaluate on their own input. */
  private static final Set<String> SAME_INPUT =
      Set.of(
          "select/0",
          "first/0",
          "last/0",
          "limit/0",
          "limit/1",
          "nth/0",
          "nth/1",
          "error/0",
          "has/0",
          "contains/0",
          "inside/0",
          "in/0",
          "index/0",
          "rindex/0",
          "indices/0",
          "join/0",
          "split/0",
          "split/1",
          "splits/0",
          "splits/1",
          "test/0",
          "test/1",
          "match/0",
          "match/1",
          "capture/0",
          "scan/0",
          "sub/0",
          "gsub/0",
          "startswith/0",
          "endswith/0",
          "ltrimstr/0",
          "rtrimstr/0",
          "range/0",
          "range/1",
          "range/2",
          "flatten/0",
          "pow/0",
          "pow/1",
          "getpath/0",
          "setpath/0",
          "setpath/1",
          "delpaths/0",
          "path/0",
          "del/0",
          "pick/0",
          "combinations/0");

  private final List<JqProgram.Reference> found = new ArrayList<>();
  private final Set<String> defined = new HashSet<>();

  private JqReferenceFinder() {}

  static List<JqProgram.Reference> in(JqAstNode program) {
    JqReferenceFinder references = new JqReferenceFinder();
    references.walk(program, true);
    references.found.sort(Comparator.comparingInt(JqProgram.Reference::offset));
    return List.copyOf(references.found);
  }

  private void walk(JqAstNode ast, boolean root) {
    switch (ast) {
      case JqAstNode.Identity identity -> {}
      case JqAstNode.Literal literal -> {}
      case JqAstNode.Variable variable -> {}
      case JqAstNode.Break end -> {}
      case JqAstNode.Format format -> {}
      case JqAstNode.Index index -> index(index, root);
      case JqAstNode.Slice slice -> walkAll(root, slice.target(), slice.from(), slice.to());
      case JqAstNode.Each(JqAstNode target) -> walk(target, root);
      case JqAstNode.Pipe(List<JqAstNode> parts) -> {
        boolean still = root;
        for (JqAstNode part : parts) {
          walk(part, still);
          still &= part instanceof JqAstNode.Identity;
        }
      }
      case JqAstNode.Comma(JqAstNode left, JqAstNode right) -> walkAll(root, left, right);
      case JqAstNode.Negate(JqAstNode operand) -> walk(operand, root);
      case JqAstNode.Binary(String operator, JqAstNode left, JqAstNode right) -> {
        walk(left, root);
        walk(right, root && !operator.equals("|="));
      }
      case JqAstNode.If(JqAstNode condition, JqAstNode yes, JqAstNode no) ->
          walkAll(root, condition, yes, no);
      case JqAstNode.Try(JqAstNode body, JqAstNode handler) -> {
        walk(body, root);
        walkAll(false, handler);
      }
      case JqAstNode.Label(String name, JqAstNode body) -> walk(body, root);
      case JqAstNode.As(JqAstNode source, List<JqAstNode.Pattern> patterns, JqAstNode body) ->
          walkAll(root, source, body);
      case JqAstNode.Reduce fold -> {
        walkAll(root, fold.source(), fold.initial());
        walk(fold.update(), false);
      }
      case JqAstNode.Foreach fold -> {
        walkAll(root, fold.source(), fold.initial());
        walkAll(false, fold.update(), fold.extract());
      }
      case JqAstNode.Define(
              String name,
              List<String> parameters,
              JqAstNode body,
              JqAstNode rest) -> {
        defined.add(name);
        defined.addAll(parameters);
        walk(body, false);
        walk(rest, root);
      }
      case JqAstNode.Call call -> call(call, root);
      case JqAstNode.MakeArray(JqAstNode body) -> walkAll(root, body);
      case JqAstNode.MakeObject(List<JqAstNode.Member> members) ->
          members.forEach(member -> walkAll(root, member.key(), member.value()));
      case JqAstNode.Text(String format, List<JqAstNode> pieces, int offset) ->
          pieces.forEach(piece -> walk(piece, root));
      case JqAstNode.FirstOf(List<JqAstNode> choices) ->
          choices.forEach(choice -> walk(choice, root));
    }
  }

  private void walkAll(boolean root, @Nullable JqAstNode... parts) {
    for (JqAstNode part : parts) {
      if (part != null) {
        walk(part, root);
      }
    }
  }

  private void call(JqAstNode.Call call, boolean root) {
    for (int i = 0; i < call.arguments().size(); i++) {
      boolean same = !defined.contains(call.name()) && SAME_INPUT.contains(call.name() + "/" + i);
      walk(call.arguments().get(i), root && same);
    }
  }

  /**
   * {@code .a.b["c"]}, up to the first name that is not a literal, where it begins with the dot.
   */
  private void index(JqAstNode.Index index, boolean root) {
    ArrayDeque<JsonNode> names = new ArrayDeque<>();
    JqAstNode at = index;
    while (true) {
      if (at instanceof JqAstNode.Index(JqAstNode target, JqAstNode key)) {
        if (key instanceof JqAstNode.Literal(JsonNode name) && name.isTextual()) {
          names.push(name);
        } else {
          names.clear();
          walk(key, root);
        }
        at = target;
      } else if (at instanceof JqAstNode.Try(JqAstNode body, JqAstNode handler)
          && handler == null) {
        at = body;
      } else if (at instanceof JqAstNode.Each(JqAstNode target)) {
        names.clear();
        at = target;
      } else {
        break;
      }
    }
    if (!(at instanceof JqAstNode.Identity(int offset))) {
      walk(at, root);
    } else if (root && !names.isEmpty()) {
      List<String> path = names.stream().map(JsonNode::textValue).toList();
      found.add(new JqProgram.Reference(path, offset));
    }
  }
}
