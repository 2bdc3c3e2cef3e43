/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.jboss.jandex.IndexView;

/**
 * Completes the OpenAPI document while the application is built, from what the code states once:
 * required properties from nullness, error responses from {@link
 * dev.baton.orchestrator.problem.ProblemSet}, descriptions of parameters from {@link
 * ParameterCatalog}.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class OpenApiDocumentFilter implements OASFilter {
  private static final String REPLAYED = "Idempotent-Replayed";

  private final RecordSchemaIndex records;
  private final ProblemResponseBuilder problems;

  /** Called by Quarkus with the index of the application's classes. */
  public OpenApiDocumentFilter(IndexView index) {
    records = new RecordSchemaIndex(index);
    problems = new ProblemResponseBuilder(index);
  }

  @Override
  public void filterOpenAPI(OpenAPI document) {
    Map<String, Schema> schemas =
        Objects.requireNonNull(document.getComponents().getSchemas(), "no schemas");
    schemas.forEach(records::require);
    document
        .getPaths()
        .getPathItems()
        .forEach(
            (path, item) ->
                item.getOperations()
                    .forEach(
                        (method, operation) ->
                            complete(document.getComponents(), path, method.name(), operation)));
  }

  private void complete(Components components, String path, String method, Operation operation) {
    List<Parameter> parameters =
        operation.getParameters() == null ? List.of() : operation.getParameters();
    parameters.forEach(parameter -> ParameterCatalog.describe(path, parameter));
    if (parameters.stream().anyMatch(p -> "Idempotency-Key".equals(p.getName()))) {
      operation
          .getResponses()
          .getAPIResponses()
          .forEach(
              (status, response) -> {
                if (status.startsWith("2")) {
                  response.addHeader(
                      REPLAYED,
                      OASFactory.createHeader()
                          .description("`true` if the response is that of an earlier request")
                          .schema(
                              OASFactory.createSchema()
                                  .addType(Schema.SchemaType.STRING)
                                  .addEnumeration("true")));
                }
              });
    }
    problems.add(components, method, operation);
  }
}
