/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.protocol.workflow.DefinitionProblem;
import dev.baton.protocol.workflow.InputSchema;
import org.jspecify.annotations.Nullable;

/**
 * One error in a body.
 *
 * @param line from 1; null when the error has no line
 * @param path of the field in the document
 * @param allowed the allowed values
 */
public record FieldProblem(
    @Nullable Integer line,
    @Nullable Integer column,
    @Nullable String step,
    @Nullable String path,
    String message,
    @Nullable String allowed) {
  public static FieldProblem of(DefinitionProblem problem) {
    return new FieldProblem(
        problem.line() > 0 ? problem.line() : null,
        problem.line() > 0 ? problem.column() : null,
        problem.step(),
        problem.path().isEmpty() ? null : problem.path(),
        problem.message(),
        problem.allowed());
  }

  public static FieldProblem of(InputSchema.Violation violation) {
    return new FieldProblem(null, null, null, violation.pointer(), violation.message(), null);
  }

  public static FieldProblem at(String path, String message, @Nullable String allowed) {
    return new FieldProblem(null, null, null, path, message, allowed);
  }
}
