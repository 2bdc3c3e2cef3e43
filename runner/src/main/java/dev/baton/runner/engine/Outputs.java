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

/** What expressions on one line see as {@code .steps}. For one thread. */
final class Outputs {
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

  void put(String id, JsonNode output) {
    // A result may hold this very tree (".steps" is an expression): a tree that something holds
    // never changes. Its entries never do.
    if (holdsTree(output)) {
      tree = copy();
    }
    ObjectNode entry = JsonNodeFactory.instance.objectNode();
    entry.set("output", output);
    tree.set(id, entry);
  }

  void remove(String id) {
    tree.remove(id);
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
