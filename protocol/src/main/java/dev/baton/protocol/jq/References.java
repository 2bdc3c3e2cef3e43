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
 * Finds the paths that a program is certain to read from its input, in its tree. Behind a pipe and
 * in functions that evaluate their argument on something else, the dot is no longer the input.
 */
final class References {
  /** Functions that evaluate these arguments on their own input. */
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

  private final List<Program.Reference> found = new ArrayList<>();
  private final Set<String> defined = new HashSet<>();

  private References() {}

  static List<Program.Reference> in(Ast program) {
    References references = new References();
    references.walk(program, true);
    references.found.sort(Comparator.comparingInt(Program.Reference::offset));
    return List.copyOf(references.found);
  }

  private void walk(Ast ast, boolean root) {
    switch (ast) {
      case Ast.Identity identity -> {}
      case Ast.Literal literal -> {}
      case Ast.Variable variable -> {}
      case Ast.Break end -> {}
      case Ast.Format format -> {}
      case Ast.Index index -> index(index, root);
      case Ast.Slice slice -> walkAll(root, slice.target(), slice.from(), slice.to());
      case Ast.Each(Ast target) -> walk(target, root);
      case Ast.Pipe(List<Ast> parts) -> {
        boolean still = root;
        for (Ast part : parts) {
          walk(part, still);
          still &= part instanceof Ast.Identity;
        }
      }
      case Ast.Comma(Ast left, Ast right) -> walkAll(root, left, right);
      case Ast.Negate(Ast operand) -> walk(operand, root);
      case Ast.Binary(String operator, Ast left, Ast right) -> {
        walk(left, root);
        walk(right, root && !operator.equals("|="));
      }
      case Ast.If(Ast condition, Ast yes, Ast no) -> walkAll(root, condition, yes, no);
      case Ast.Try(Ast body, Ast handler) -> {
        walk(body, root);
        walkAll(false, handler);
      }
      case Ast.Label(String name, Ast body) -> walk(body, root);
      case Ast.As(Ast source, List<Ast.Pattern> patterns, Ast body) -> walkAll(root, source, body);
      case Ast.Reduce fold -> {
        walkAll(root, fold.source(), fold.initial());
        walk(fold.update(), false);
      }
      case Ast.Foreach fold -> {
        walkAll(root, fold.source(), fold.initial());
        walkAll(false, fold.update(), fold.extract());
      }
      case Ast.Define(String name, List<String> parameters, Ast body, Ast rest) -> {
        defined.add(name);
        defined.addAll(parameters);
        walk(body, false);
        walk(rest, root);
      }
      case Ast.Call call -> call(call, root);
      case Ast.MakeArray(Ast body) -> walkAll(root, body);
      case Ast.MakeObject(List<Ast.Member> members) ->
          members.forEach(member -> walkAll(root, member.key(), member.value()));
      case Ast.Text(String format, List<Ast> pieces, int offset) ->
          pieces.forEach(piece -> walk(piece, root));
      case Ast.FirstOf(List<Ast> choices) -> choices.forEach(choice -> walk(choice, root));
    }
  }

  private void walkAll(boolean root, @Nullable Ast... parts) {
    for (Ast part : parts) {
      if (part != null) {
        walk(part, root);
      }
    }
  }

  private void call(Ast.Call call, boolean root) {
    for (int i = 0; i < call.arguments().size(); i++) {
      boolean same = !defined.contains(call.name()) && SAME_INPUT.contains(call.name() + "/" + i);
      walk(call.arguments().get(i), root && same);
    }
  }

  /** {@code .a.b["c"]}, as far as its names are literals and it begins with the dot. */
  private void index(Ast.Index index, boolean root) {
    ArrayDeque<JsonNode> names = new ArrayDeque<>();
    Ast at = index;
    while (true) {
      if (at instanceof Ast.Index(Ast target, Ast key)) {
        if (key instanceof Ast.Literal(JsonNode name) && name.isTextual()) {
          names.push(name);
        } else {
          names.clear();
          walk(key, root);
        }
        at = target;
      } else if (at instanceof Ast.Try(Ast body, Ast handler) && handler == null) {
        at = body;
      } else if (at instanceof Ast.Each(Ast target)) {
        names.clear();
        at = target;
      } else {
        break;
      }
    }
    if (!(at instanceof Ast.Identity(int offset))) {
      walk(at, root);
    } else if (root && !names.isEmpty()) {
      List<String> path = names.stream().map(JsonNode::textValue).toList();
      found.add(new Program.Reference(path, offset));
    }
  }
}
