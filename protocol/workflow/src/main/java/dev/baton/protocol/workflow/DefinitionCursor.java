/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A node with its path in the definition.
 *
 * @param step the id of the enclosing step, if any
 */
record DefinitionCursor(LocatedNode node, String path, @Nullable String step) {
  DefinitionCursor member(String key, LocatedNode value) {
    return new DefinitionCursor(value, path.isEmpty() ? key : path + "." + key, step);
  }

  DefinitionCursor item(int index, LocatedNode value) {
    return new DefinitionCursor(value, path + "[" + index + "]", step);
  }

  DefinitionCursor inStep(@Nullable String id) {
    return new DefinitionCursor(node, path, id);
  }
}
