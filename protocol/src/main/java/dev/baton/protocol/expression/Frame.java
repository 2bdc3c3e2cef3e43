/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open group while an expression is scanned. {@code root} says whether {@code .} is certain to
 * be the whole scope at this point: it is lost behind a pipe and inside functions that bind {@code
 * .} anew, and comes back where a group closes.
 */
final class Frame {
  enum Kind {
    TOP,
    PAREN,
    ARRAY,
    OBJECT,
    CALL,
    IF,
    DEF,
    INTERPOLATION
  }

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

  final Kind kind;
  final int start;
  private final boolean base;
  private final @Nullable String function;
  boolean root;

  /** Whether an object's next token is a key. */
  boolean key;

  /** Between {@code as} or {@code label} and the pipe that ends the binding and keeps the input. */
  boolean binding;

  /** How much of a {@code reduce} or {@code foreach} has been read. */
  enum Fold {
    NONE,
    SOURCE,
    STATE
  }

  Fold fold = Fold.NONE;

  /** Semicolons so far. */
  int argument;

  Frame(Kind kind, int start, boolean base, @Nullable String function) {
    this.kind = kind;
    this.start = start;
    this.base = base;
    this.function = function;
    this.key = kind == Kind.OBJECT;
    this.root = kind == Kind.CALL ? base && sameInput() : base;
  }

  @Nullable String function() {
    return function;
  }

  /** A new arm of a conditional, or member of an object. */
  void again() {
    root = base;
    binding = false;
  }

  void nextArgument() {
    argument++;
    root = base && sameInput();
    binding = false;
  }

  private boolean sameInput() {
    return SAME_INPUT.contains(function + "/" + argument)
        // The first argument of reduce and foreach, the initial value, sees the input; the others
        // see the state.
        || (argument == 0 && ("reduce".equals(function) || "foreach".equals(function)));
  }
}
