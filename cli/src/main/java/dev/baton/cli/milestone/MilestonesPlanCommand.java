/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.plan.MilestoneResumePlanner;
import dev.baton.milestone.plan.ResumePlan;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton milestones plan RUN}. */
@Command(
    name = "plan",
    description = {
      "Determine from the repository alone from which milestone a run can resume.",
      "Exit code 1: the checkout does not contain the run's newest milestone."
    },
    footer = {
      "%nExamples:",
      "  baton milestones plan 7c9e2f --repo ~/website",
      "  baton milestones plan 01jd0000000000000000abcdef --recorded 3 -o json | jq .drift",
      "  baton milestones plan 7c9e2f --with-server"
    })
final class MilestonesPlanCommand implements Callable<Integer> {
  private static final int PAGE = 1_000;

  private final CommandContext context;

  @Mixin private final RepositoryOption option = new RepositoryOption();

  @Parameters(paramLabel = "RUN", description = "A run's id, or its last six characters.")
  private String run = "";

  @Option(
      names = "--recorded",
      paramLabel = "N",
      description =
          "The number of the newest milestone that is recorded elsewhere, from 0; -1 for none. Where"
              + " the repository has another, this drift is reported, and the repository takes precedence.")
  private @Nullable Integer recorded;

  @Option(
      names = "--with-server",
      description = "Compare the plan with the server's record of the run.")
  private boolean withServer;

  MilestonesPlanCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (withServer && recorded != null) {
      throw CliException.usage("--recorded and --with-server cannot be combined");
    }
    if (recorded != null && recorded < -1) {
      throw CliException.usage("--recorded " + recorded + " is not a milestone: use -1 or more");
    }
    ResumePlan plan = option.work(context, this::plan);
    context.show(MilestonePrinter.json(plan), () -> print(plan));
    return (plan.isUsable() ? CliExitCode.OK : CliExitCode.FAILED).number();
  }

  private ResumePlan plan(GitRepository repository) throws IOException, InterruptedException {
    SidecarStore.Listing known =
        new SidecarStore(repository.root(), SidecarStore.Format.BATON).list();
    ResumePlan plan = MilestoneResumePlanner.plan(repository, RepositoryOption.run(known, run));
    OptionalInt elsewhere = recorded == null ? OptionalInt.empty() : OptionalInt.of(recorded);
    return plan.against(withServer ? OptionalInt.of(ofTrace(plan.run())) : elsewhere);
  }

  /** Returns the highest milestone number in the run's trace; -1 for none. */
  private int ofTrace(String id) {
    String path = "/runs/" + RunRef.parse(id).text() + "/events";
    int newest = -1;
    long after = 0;
    while (true) {
      JsonNode page =
          context
              .client()
              .get(UrlQueryBuilder.of(path).with("limit", PAGE).with("after", after).toString())
              .path("events");
      for (JsonNode event : page) {
        if (event.path("type").asText().equals("step_completed")) {
          newest = Math.max(newest, event.path("data").path("milestone").asInt(-1));
        }
        after = event.path("position").asLong();
      }
      if (page.size() < PAGE) {
        return newest;
      }
    }
  }

  private void print(ResumePlan plan) {
    plan.checkpoint()
        .ifPresentOrElse(
            found -> {
              context.print(
                  "run %s can resume %s milestone %d%s"
                      .formatted(
                          plan.run(),
                          plan.isUsable()
                              ? "after"
                              : "only once its commit is in the checkout, after",
                          found.milestoneIndex(),
                          found.title().isEmpty() ? "" : " (" + found.title() + ")"));
              context.print("source    " + plan.source().word() + ", of " + found.format());
              context.print("commit    " + found.commit().orElse(found.sha()));
              context.print("location  " + found.location() + ": " + found.description());
              found.tier().ifPresent(tier -> context.print("tier      " + tier));
              found
                  .verificationCommands()
                  .forEach(command -> context.print("verified  " + command));
            },
            () ->
                context.print(
                    "the repository has no milestone of run %s: it starts with the first (source %s)"
                        .formatted(plan.run(), plan.source().word())));
    plan.drift()
        .ifPresent(
            drift ->
                context.print(
                    context
                        .style()
                        .attention(
                            "drift     recorded milestone %d, checkpoint %d: the checkpoint takes precedence"
                                .formatted(drift.recordedIndex(), drift.checkpointIndex()))));
    plan.notes().forEach(note -> context.print("note      " + note));
  }
}
