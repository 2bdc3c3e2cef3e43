/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.ScopeReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Records positions while a definition is decoded, for the checks that follow. */
final class DefinitionSymbolTable {
  /**
   * A reference of an expression.
   *
   * @param place of the expression
   * @param mark of the reference itself
   * @param moment when the expression is evaluated
   */
  record Use(
      DefinitionCursor place, SourcePosition mark, ScopeReference reference, Moment moment) {}

  /** When an expression is evaluated, relative to the step that contains it. */
  enum Moment {
    BEFORE_STEP,
    AFTER_STEP,
    AT_END_OF_LIST
  }

  /** A target of a step's {@code next}, {@code gate} or {@code continue_from}. */
  record Target(DefinitionCursor place, String to) {}

  private final Map<String, DefinitionCursor> ids = new HashMap<>();
  private final Map<String, McpServerDefinition> servers = new LinkedHashMap<>();
  private final Set<String> secrets = new TreeSet<>();
  private final List<Use> uses = new ArrayList<>();
  private final List<Target> targets = new ArrayList<>();
  private final List<Target> continuations = new ArrayList<>();

  /** The position of each step id; the first where an id is used twice. */
  Map<String, DefinitionCursor> ids() {
    return ids;
  }

  /** The workflow's MCP servers, in the order of their definition. */
  Map<String, McpServerDefinition> servers() {
    return servers;
  }

  /** The names of the workflow's secrets. */
  Set<String> secrets() {
    return secrets;
  }

  List<Use> uses() {
    return uses;
  }

  List<Target> targets() {
    return targets;
  }

  /** The steps whose conversations agent steps continue. */
  List<Target> continuations() {
    return continuations;
  }
}
