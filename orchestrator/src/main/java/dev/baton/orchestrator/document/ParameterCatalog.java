/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import static java.util.Map.entry;

import java.math.BigDecimal;
import java.util.Map;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;

/**
 * Describes the parameters of the API in one place: the same name has the same meaning wherever it
 * occurs, except for the {@code id} in a path.
 */
final class ParameterCatalog {
  private static final long MOST = 1_000;

  private static final Map<String, String> DESCRIPTIONS =
      Map.ofEntries(
          entry("/runs id", "Id of the run, or its last six characters"),
          entry(
              "/checkpoints id",
              "Id of the checkpoint, or at least six of its last characters, which are searched"
                  + " among the newest 10,000 checkpoints of the project"),
          entry("/api-keys id", "Id of the API key, its second part"),
          entry("/approvals id", "Id of the approval"),
          entry("checkpoint", "Id of the new checkpoint: a ULID in lower case, as in the manifest"),
          entry("reference", "Name of the workflow, or `name@hash` for one version"),
          entry("name", "Name of the workflow"),
          entry("/projects name", "Name of the project"),
          entry("run", "Id of the run, or its last six characters"),
          entry(
              "Idempotency-Key",
              "1 to 255 printable ASCII characters. The same key with the same body returns the"
                  + " same response again for 24 hours, without a second effect"),
          entry(
              "Last-Event-ID",
              "Of an event stream: the position after which it continues; overrides `after`"),
          entry("status", "Only those in this status; of runs, several are separated by commas"),
          entry("project", "Name of the project"),
          entry("workflow", "Only runs of this workflow"),
          entry("label", "Only runs that have this label, as `name=value`; several must all match"),
          entry(
              "since",
              "Not before this RFC 3339 time; of runs, also a duration before now, such as `2h` or"
                  + " `7d`"),
          entry(
              "until",
              "Before this RFC 3339 time; of runs, also a duration before now, such as `2h` or"
                  + " `7d`"),
          entry("caller", "Only calls of the API key with this name or id"),
          entry(
              "operation",
              "Only calls of this operation: method and path template as in this document, or"
                  + " service and method of gRPC"),
          entry("outcome", "Only calls that ended so: ok, refused, rejected, failed or unknown"),
          entry("limit", "Largest number of entries to return"),
          entry("cursor", "The `next_cursor` of the previous page; without it the first page"),
          entry("epoch", "The epoch to check; without it the current one"),
          entry("after", "Only events after this position"),
          entry("step", "Only lines of this step"),
          entry("visit", "Only lines of this visit of the step, from 1; 0: all"),
          entry("attempt", "Only lines of this attempt of the step, from 1; 0: all"),
          entry("from", "The first line, as `EPOCH:LINE`"),
          entry("topic", "Only records of this topic"),
          entry("reason", "Only records with this reason code"),
          entry("tail", "Only this many of the newest lines; not with `from` or `until`; 0: all"),
          entry("follow", "Whether to continue with new lines until the run has ended"),
          entry(
              "now",
              "Whether to delete unreferenced packs at once, instead of after their grace period"),
          entry("force", "Whether to delete the run although one of its checkpoints is pinned"),
          entry("path", "Name of a schema as in the index at `/schemas`"));

  /** Least and largest value, by path and name. */
  private static final Map<String, long[]> RANGES =
      Map.ofEntries(
          entry("/dead-letters limit", new long[] {1, MOST}),
          entry("/runs limit", new long[] {1, MOST}),
          entry("/runs/history limit", new long[] {1, MOST}),
          entry("/archive limit", new long[] {1, MOST}),
          entry("/projects limit", new long[] {1, MOST}),
          entry("/audit limit", new long[] {1, MOST}),
          entry("/approvals limit", new long[] {1, MOST}),
          entry("/checkpoints limit", new long[] {1, MOST}),
          entry("/runs/{id}/events limit", new long[] {1, 10_000}),
          entry("/runs/{id}/events after", new long[] {0, Long.MAX_VALUE}),
          entry("/runs/{id}/epoch epoch", new long[] {1, Integer.MAX_VALUE}));

  private ParameterCatalog() {}

  /**
   * Sets the description, and the range if there is one.
   *
   * @throws IllegalStateException when the parameter is new and has no description
   */
  static void describe(String path, Parameter parameter) {
    if (parameter.getDescription() == null) {
      String first = "/" + path.split("/", -1)[1];
      String description =
          DESCRIPTIONS.getOrDefault(
              first + " " + parameter.getName(), DESCRIPTIONS.get(parameter.getName()));
      if (description == null) {
        throw new IllegalStateException(
            path
                + ": parameter '"
                + parameter.getName()
                + "' has no description; add one here or with @Parameter");
      }
      parameter.setDescription(description);
    }
    long[] range = RANGES.get(path + " " + parameter.getName());
    if (range != null) {
      parameter.getSchema().setMinimum(BigDecimal.valueOf(range[0]));
      if (range[1] < Integer.MAX_VALUE) {
        parameter.getSchema().setMaximum(BigDecimal.valueOf(range[1]));
      }
    }
  }
}
