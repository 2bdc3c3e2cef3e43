/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Set;

/**
 * Checks where schemas mark secrets: only properties of a workflow's input can be, since other
 * values would be stored as they are.
 */
final class SecretInputChecker {
  private static final String KEYWORD = SecretInputPolicy.KEYWORD;

  /** Keywords whose values are data, not schemas. */
  private static final Set<String> DATA = Set.of("const", "default", "enum", "examples");

  private final DefinitionProblemCollector problems;

  SecretInputChecker(DefinitionProblemCollector problems) {
    this.problems = problems;
  }

  /**
   * Checks the schema of a workflow's input.
   *
   * @param declared names of the workflow's secrets
   */
  void checkInput(DefinitionCursor schema, Set<String> declared) {
    if (schema.node() instanceof LocatedNode.Members members) {
      for (LocatedNode.Entry entry : members.entries()) {
        DefinitionCursor at = schema.member(entry.key(), entry.value());
        if (entry.key().equals("properties")
            && entry.value() instanceof LocatedNode.Members properties) {
          properties
              .entries()
              .forEach(it -> property(it, at.member(it.key(), it.value()), declared));
        } else {
          refuse(entry, at);
        }
      }
    }
  }

  private void property(LocatedNode.Entry property, DefinitionCursor schema, Set<String> declared) {
    if (schema.node() instanceof LocatedNode.Members members) {
      for (LocatedNode.Entry entry : members.entries()) {
        DefinitionCursor at = schema.member(entry.key(), entry.value());
        if (!entry.key().equals(KEYWORD)) {
          refuse(entry, at);
        } else if (!entry.value().toJson().isBoolean()) {
          problems.error(at, "'" + KEYWORD + "' has another value", "true, false");
        } else if (entry.value().toJson().booleanValue()) {
          secret(property, at, declared);
        }
      }
    }
  }

  private void secret(LocatedNode.Entry property, DefinitionCursor at, Set<String> declared) {
    String name = property.key();
    if (!SecretReference.NAME.matcher(name).matches()) {
      problems.error(
          property.keyMark(),
          at.step(),
          at.path(),
          "'" + name + "' is not a secret's name",
          SecretReference.NAME.pattern());
    } else if (declared.contains(name)) {
      problems.error(
          at, "'" + name + "' is also a secret of the workflow", "another name for the input");
    } else if (declared.isEmpty()) {
      problems.error(
          at,
          "no reference can be passed: the workflow declares no secrets",
          "secrets among which the caller of a run selects, in the workflow's 'secrets'");
    }
  }

  /** Refuses the keyword in a schema in which values are stored as they are. */
  void refuse(DefinitionCursor schema) {
    switch (schema.node()) {
      case LocatedNode.Members members -> {
        for (LocatedNode.Entry entry : members.entries()) {
          refuse(entry, schema.member(entry.key(), entry.value()));
        }
      }
      case LocatedNode.Items(_, var items) -> {
        for (int i = 0; i < items.size(); i++) {
          refuse(schema.item(i, items.get(i)));
        }
      }
      case LocatedNode.Scalar _ -> {}
    }
  }

  private void refuse(LocatedNode.Entry entry, DefinitionCursor at) {
    if (entry.key().equals(KEYWORD)) {
      problems.error(
          entry.keyMark(),
          at.step(),
          at.path(),
          "'" + KEYWORD + "' cannot be used here",
          "in a property of the workflow's input itself");
    } else if (!DATA.contains(entry.key())) {
      refuse(at);
    }
  }
}
