/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressIndicator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton delete RUN}, or all runs that match a filter. */
@Command(
    name = "delete",
    description =
        "Delete an ended run permanently, or all that match a filter: trace, outputs, checkpoints.",
    footer = {
      "%nExamples:",
      "  baton delete 7c9e2f",
      "  baton delete 7c9e2f --now -o json | jq .left",
      "  baton delete --status completed --until 30d --dry-run",
      "  baton delete --label env=test --yes"
    })
public final class DeleteCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description = "A run's id, or its last six characters.")
  private @Nullable String run;

  @Mixin private BulkRunAction bulk = new BulkRunAction();

  @Option(
      names = "--now",
      description = "Delete unreferenced files at once, not after the grace period.")
  private boolean now;

  @Option(names = "--force", description = "Delete it even if one of its checkpoints is pinned.")
  private boolean force;

  public DeleteCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if ((run == null) != bulk.isWanted()) {
      throw CliException.usage(
          "give a run's id, or a filter (--label, --status, --workflow, --until, --all)");
    }
    if (run == null) {
      return bulk.run(context, "delete", body -> body.put("now", now).put("force", force));
    }
    String path =
        UrlQueryBuilder.of("/runs/" + RunRef.parse(run).text())
            .with("now", now ? true : null)
            .with("force", force ? true : null)
            .toString();
    JsonNode proof;
    try (ProgressIndicator _ = ProgressIndicator.start(context.terminal(), "deleting")) {
      proof = context.client().delete(path, OrchestratorRestClient.WORK);
    }
    boolean whole = proof.path("left").valueStream().allMatch(count -> count.asLong() == 0);
    context.show(proof, () -> print(proof, whole));
    return whole ? CliExitCode.OK.number() : CliExitCode.FAILED.number();
  }

  private void print(JsonNode proof, boolean whole) {
    context.print(
        "run %s is %s: %s deleted, %s left"
            .formatted(
                proof.path("run").asText(),
                whole ? "gone" : context.style().bad("not gone"),
                counts(proof.path("deleted")),
                counts(proof.path("left"))));
    int waiting = proof.path("packs_waiting").asInt();
    if (waiting > 0) {
      context.print(
          "%d packs (%s) are deleted after the grace period; --now deletes them at once"
              .formatted(
                  waiting, ByteSizeFormatter.of(proof.path("packs_waiting_bytes").asLong())));
    }
  }

  private static String counts(JsonNode counts) {
    List<String> some = new ArrayList<>();
    counts
        .properties()
        .forEach(
            count -> {
              if (count.getValue().asLong() != 0) {
                some.add(
                    count.getKey().equals("bytes")
                        ? ByteSizeFormatter.of(count.getValue().asLong())
                        : count.getValue().asLong() + " " + count.getKey());
              }
            });
    return some.isEmpty() ? "nothing" : String.join(", ", some);
  }
}
