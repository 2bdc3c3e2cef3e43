/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import java.util.List;

/**
 * A value that an expression certainly reads from its scope.
 *
 * @param path its names from the scope down, at least one: {@code .steps.build.output} is {@code
 *     [steps, build, output]}
 * @param line within the expression, from 1
 * @param column within that line, from 1
 */
public record ScopeReference(List<String> path, int line, int column) {
  public ScopeReference {
    path = List.copyOf(path);
  }

  /** Returns {@code steps}, {@code input}, {@code run} or an unknown name. */
  public String root() {
    return path.getFirst();
  }
}
