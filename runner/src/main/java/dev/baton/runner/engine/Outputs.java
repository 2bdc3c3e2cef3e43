/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.StepEnd;
import dev.baton.protocol.workflow.StepOutcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What expressions on one line see as {@code .steps}. For one thread. */
final class Outputs {
  private static final String OUTCOME = "outcome";

  private ObjectNode tree;

  Outputs() {
    tree = JsonNodeFactory.instance.objectNode();
  }

  private Outputs(ObjectNode tree) {
    this.tree = tree;
  }

  /** For a branch: sees what this line has so far, and keeps its own to itself. */
  Outputs branch() {
    return new Outputs(copy());
  }

  JsonNode tree() {
    return tree;
  }

  /**
   * @param output null where the visit has none: it failed, or was skipped
   */
  void put(String id, StepEnd end, @Nullable JsonNode output) {
    // A result may hold this very tree (".steps" is an expression): a tree that something holds
    // never changes. Its entries never do.
    if (output != null && holdsTree(output)) {
      tree = copy();
    }
    ObjectNode entry = JsonNodeFactory.instance.objectNode();
    entry.put(OUTCOME, end.outcome().word());
    if (output != null) {
      entry.set("output", output);
    }
    if (end.error() != null) {
      entry.set("error", Json.mapper().valueToTree(end.error()));
    }
    tree.set(id, entry);
  }

  /** How the latest visit of a step ended; empty where none has. */
  Optional<StepOutcome> outcome(String id) {
    return StepOutcome.of(tree.path(id).path(OUTCOME).asText());
  }

  /** What is known of a step, for {@link #restore}; null where nothing is. */
  @Nullable JsonNode entry(String id) {
    return tree.get(id);
  }

  void restore(String id, @Nullable JsonNode entry) {
    if (entry == null) {
      tree.remove(id);
    } else {
      tree.set(id, entry);
    }
  }

  private boolean holdsTree(JsonNode node) {
    if (node == tree) {
      return true;
    }
    for (JsonNode child : node) {
      if (child.isContainerNode() && holdsTree(child)) {
        return true;
      }
    }
    return false;
  }

  private ObjectNode copy() {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    copy.setAll(tree);
    return copy;
  }
}
