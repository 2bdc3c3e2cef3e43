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
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.StepEnd;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.workflow.StepOutcome;
import dev.baton.runner.outputs.OutputLoader;
import dev.baton.runner.outputs.ReferencedObject;
import dev.baton.runner.outputs.ReferencedValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Holds what expressions on one line see as {@code .steps}. For one thread. */
final class StepOutputTree {
  private static final String OUTCOME = "outcome";

  private final OutputLoader loader;
  private ObjectNode tree;

  /**
   * @param loader fetches outputs by reference when an expression reads them
   */
  StepOutputTree(OutputLoader loader) {
    this(loader, JsonNodeFactory.instance.objectNode());
  }

  private StepOutputTree(OutputLoader loader, ObjectNode tree) {
    this.loader = loader;
    this.tree = tree;
  }

  /**
   * Returns a tree for a branch: it contains the outputs of this line so far, and does not share
   * later ones.
   */
  StepOutputTree branch() {
    return new StepOutputTree(loader, copy());
  }

  JsonNode tree() {
    return tree;
  }

  /**
   * Records how a visit has ended.
   *
   * @param output null if the visit has none: it failed, or was skipped
   */
  void put(String id, StepEnd end, @Nullable Output output) {
    // A result may hold this very tree (".steps" is an expression), so a tree that a result holds
    // is never changed. Its entries never are.
    if (output instanceof Output.Inline(JsonNode value)) {
      keepIfHeld(value);
    }
    Map<String, Output> members = new LinkedHashMap<>();
    members.put(OUTCOME, new Output.Inline(TextNode.valueOf(end.outcome().word())));
    if (output != null) {
      members.put("output", output);
    }
    if (end.error() != null) {
      members.put("error", new Output.Inline(Json.mapper().valueToTree(end.error())));
    }
    tree.set(id, entry(members));
  }

  /** An entry that does not need to be fetched is an ordinary object. */
  private ObjectNode entry(Map<String, Output> members) {
    if (members.get("output") instanceof Output.Ref) {
      return new ReferencedObject(members, loader);
    }
    ObjectNode entry = JsonNodeFactory.instance.objectNode();
    members.forEach((name, member) -> entry.set(name, loader.load(member)));
    return entry;
  }

  /**
   * Copies the tree if this value holds it, so that the value does not change. This includes a
   * value stored by reference, because later expressions read it.
   */
  void keepIfHeld(JsonNode value) {
    if (holdsTree(value)) {
      tree = copy();
    }
  }

  /** Returns how the latest visit of a step ended; empty if none has. */
  Optional<StepOutcome> outcome(String id) {
    return StepOutcome.of(tree.path(id).path(OUTCOME).asText());
  }

  /** Returns the entry of a step, for {@link #restore}; null if there is none. */
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
    if (node instanceof ReferencedValue) {
      return false; // It has only outputs, which would have to be fetched.
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
