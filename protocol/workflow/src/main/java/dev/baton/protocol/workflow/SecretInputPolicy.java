/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.workflow.InputSchema.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Inputs of a run that are secrets: properties of the input that its schema marks by {@code
 * x-secret: true}. Their values are references, {@code secret:NAME}, to secrets that the workflow
 * declares; a step uses them as {@code ${{ secrets.PROPERTY }}}. So a caller selects among the
 * secrets that the workflow's author has declared, and no value becomes part of an input.
 */
public final class SecretInputPolicy {
  /** The keyword of the schema. */
  public static final String KEYWORD = "x-secret";

  /** What the value of such an input begins with. */
  public static final String PREFIX = "secret:";

  private SecretInputPolicy() {}

  /** Returns the properties of the input that are secrets. */
  public static Set<String> names(InputSchema schema) {
    Set<String> names = new TreeSet<>();
    schema
        .json()
        .path("properties")
        .properties()
        .forEach(
            property -> {
              if (property.getValue().path(KEYWORD).booleanValue()) {
                names.add(property.getKey());
              }
            });
    return names;
  }

  /**
   * Returns a violation for each secret of an input that is not a reference to a secret of the
   * workflow. Messages do not contain what was given, which may be the value of a secret.
   */
  public static List<Violation> violations(Workflow workflow, JsonNode input) {
    List<Violation> violations = new ArrayList<>();
    for (String name : names(workflow.input())) {
      if (input.has(name) && referenced(workflow, input.path(name)).isEmpty()) {
        violations.add(
            new Violation(
                "/" + name,
                "'%s' is a secret: pass a reference to a secret of the workflow, never its value; allowed: %s"
                    .formatted(name, allowed(workflow))));
      }
    }
    return violations;
  }

  private static String allowed(Workflow workflow) {
    return workflow.secrets().isEmpty()
        ? "none, since the workflow declares no secrets"
        : workflow.secrets().keySet().stream()
            .map(name -> PREFIX + name)
            .collect(Collectors.joining(", "));
  }

  /** Returns all secrets of a run by the names that its steps use. */
  public static Map<String, SecretReference> references(Workflow workflow, JsonNode input) {
    Map<String, SecretReference> references = new HashMap<>(workflow.secrets());
    for (String name : names(workflow.input())) {
      referenced(workflow, input.path(name)).ifPresent(it -> references.put(name, it));
    }
    return references;
  }

  private static Optional<SecretReference> referenced(Workflow workflow, JsonNode value) {
    String text = value.isTextual() ? value.textValue() : "";
    return text.startsWith(PREFIX)
        ? Optional.ofNullable(workflow.secrets().get(text.substring(PREFIX.length())))
        : Optional.empty();
  }
}
