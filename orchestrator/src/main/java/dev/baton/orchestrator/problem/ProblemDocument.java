/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An RFC 9457 problem document. */
@Schema(name = "Problem")
public record ProblemDocument(
    String type,
    String title,
    int status,
    String detail,
    String instance,
    @Nullable List<FieldProblem> errors,
    @Nullable List<String> candidates) {
  public static final String MEDIA_TYPE = "application/problem+json";
}
