/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Filter of runs: options shared by several commands. */
final class RunFilterOptions {
  @Option(
      names = "--status",
      split = ",",
      paramLabel = "STATUS",
      description = "Only runs with this status, for example running,waiting; may be repeated.")
  private List<String> status = new ArrayList<>();

  @Option(
      names = "--workflow",
      paramLabel = "NAME[@HASH]",
      description = "Only runs of this workflow.")
  private @Nullable String workflow;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "Only runs with this label; may be repeated: the run must have all.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--since",
      paramLabel = "2h|TIME",
      description = "Only runs created since: a duration before now, or a time.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "2h|TIME",
      description = "Only runs created before: a duration before now, or a time.")
  private @Nullable String until;

  @Option(names = "--project", description = "Only runs of this project.")
  private @Nullable String project;

  /**
   * @throws CliException when a status is invalid
   */
  void check() {
    for (String one : status) {
      if (RunStatus.of(one).isEmpty()) {
        throw CliException.usage(
            "--status '%s' is not one of %s"
                .formatted(
                    one,
                    String.join(
                        ", ", Arrays.stream(RunStatus.values()).map(RunStatus::word).toList())));
      }
    }
  }

  boolean isEmpty() {
    return status.isEmpty()
        && workflow == null
        && labels.isEmpty()
        && since == null
        && until == null
        && project == null;
  }

  UrlQueryBuilder on(UrlQueryBuilder query) {
    query
        .with("status", status.isEmpty() ? null : String.join(",", status))
        .with("workflow", workflow);
    labels.forEach((name, value) -> query.with("label", name + "=" + value));
    return query.with("since", since).with("until", until).with("project", project);
  }

  /** Converts the filter to the format of {@code /runs/bulk}. */
  ObjectNode json() {
    ObjectNode filter = Json.mapper().createObjectNode();
    if (!status.isEmpty()) {
      status.forEach(filter.putArray("status")::add);
    }
    if (!labels.isEmpty()) {
      labels.forEach(filter.putObject("labels")::put);
    }
    put(filter, "workflow", workflow);
    put(filter, "since", since);
    put(filter, "until", until);
    put(filter, "project", project);
    return filter;
  }

  private static void put(ObjectNode filter, String name, @Nullable String value) {
    if (value != null) {
      filter.put(name, value);
    }
  }
}
