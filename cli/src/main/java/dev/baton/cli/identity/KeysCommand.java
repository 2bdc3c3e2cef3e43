/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton keys}: without a subcommand, prints the list. */
@Command(
    name = "keys",
    description = "Create, list and revoke API keys. Needs a key with the role admin.",
    footer = {
      "%nRoles: viewer reads; operator also starts and changes runs; admin also deletes and manages keys.",
      "%nExamples:",
      "  baton keys create ci --role operator --expires-in 90d",
      "  baton keys create ci --project payments=operator --project orders=viewer",
      "  baton keys list",
      "  baton keys revoke k3j9x0q2m4ab"
    })
public final class KeysCommand implements Runnable {
  private static final String PATH = "/api-keys";

  private final CommandContext context;

  public KeysCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    list();
  }

  @Command(
      name = "create",
      description = "Create a key and print it. It is not stored and cannot be shown again.")
  void create(
      @Parameters(paramLabel = "NAME", description = "Whose key it is: a person or a program.")
          String name,
      @Option(
              names = "--role",
              paramLabel = "ROLE",
              description =
                  "viewer, operator or admin, in all projects. Default: viewer, or none with"
                      + " --project.")
          @Nullable String role,
      @Option(
              names = "--project",
              paramLabel = "NAME=ROLE",
              description =
                  "A role in one project, instead of in all or higher than --role. Can be repeated.")
          @Nullable List<String> projects,
      @Option(
              names = "--expires-in",
              paramLabel = "DURATION",
              description = "For example 90d, at most ten years. Default: never.")
          @Nullable String expiresIn) {
    ObjectNode body = Json.mapper().createObjectNode().put("name", name);
    if (projects != null) {
      ObjectNode roles = body.putObject("projects");
      parse(projects)
          .byProject()
          .forEach((project, granted) -> roles.put(project, granted.label()));
    }
    if (role != null || projects == null) {
      body.put("role", Objects.requireNonNullElse(role, AccessRole.VIEWER_NAME));
    }
    if (expiresIn != null) {
      body.put("expires_in", expiresIn);
    }
    JsonNode key = context.client().post(PATH, body);
    context.show(key, key.path("key").asText());
  }

  @Command(name = "list", description = "List the keys, also revoked and expired ones.")
  void list() {
    JsonNode answer = context.client().get(PATH);
    context.show(answer, () -> print(answer.path("keys")));
  }

  @Command(name = "revoke", description = "Revoke a key: it is refused within five seconds.")
  void revoke(
      @Parameters(paramLabel = "ID", description = "The id, which is the second part of a key.")
          String id) {
    JsonNode key =
        context
            .client()
            .delete(PATH + "/" + UrlQueryBuilder.encode(id), OrchestratorRestClient.REQUEST);
    context.show(key, "revoked " + key.path("id").asText() + " of " + key.path("name").asText());
  }

  private void print(JsonNode keys) {
    Instant now = Instant.now();
    TextTable table = new TextTable("ID", "NAME", "ROLE", "STATE", "AGE", "LAST USE", "CREATED BY");
    for (JsonNode key : keys) {
      table.row(
          key.path("id").asText(),
          key.path("name").asText(),
          role(key),
          state(key, now),
          age(key.path("created_at"), now),
          age(key.path("last_used_at"), now),
          key.path("created_by").asText());
    }
    context.print(table, "no keys; create one with `baton keys create NAME --role ROLE`");
  }

  private static String role(JsonNode key) {
    return key.hasNonNull("projects")
        ? key.path("projects").properties().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue().asText())
            .collect(Collectors.joining(" "))
        : key.path("role").asText();
  }

  private static ProjectRoles parse(List<String> projects) {
    try {
      return ProjectRoles.parse(projects);
    } catch (IllegalArgumentException e) {
      throw CliException.usage("--project: " + e.getMessage());
    }
  }

  private static String state(JsonNode key, Instant now) {
    if (key.hasNonNull("revoked_at")) {
      return "revoked";
    }
    Instant end = TimeFormatter.instant(key.path("expires_at"));
    if (end == null) {
      return "valid";
    }
    return end.isAfter(now)
        ? "valid for " + TimeFormatter.duration(Duration.between(now, end))
        : "expired";
  }

  private static String age(JsonNode time, Instant now) {
    Instant at = TimeFormatter.instant(time);
    return at == null ? "-" : TimeFormatter.duration(Duration.between(at, now));
  }
}
