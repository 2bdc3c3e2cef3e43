/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.history.MilestoneLocation;
import dev.baton.milestone.history.MilestoneLocator;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code baton milestones [RUN]}. */
@Command(
    name = "milestones",
    description = {
      "List the milestones that runs have committed to a repository, and their present locations.",
      "Needs no server. `baton milestones plan RUN` shows from where a run can resume."
    },
    subcommands = {
      MilestonesPlanCommand.class,
      MilestonesDoctorCommand.class,
      MilestonesGcCommand.class
    },
    footer = {
      "%nExamples:",
      "  baton milestones",
      "  baton milestones 7c9e2f --repo ~/website -o json",
      "  baton milestones plan 7c9e2f"
    })
public final class MilestonesCommand implements Runnable {
  private final CommandContext context;

  @Mixin private final RepositoryOption option = new RepositoryOption();

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description = "A run's id, or its last six characters. Without one: milestones of all runs.")
  private @Nullable String run;

  public MilestonesCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    option.work(context, this::list);
  }

  private int list(GitRepository repository) throws IOException, InterruptedException {
    SidecarStore.Listing listing =
        new SidecarStore(repository.root(), SidecarStore.Format.BATON).list();
    List<String> runs = run == null ? listing.runs() : List.of(RepositoryOption.run(listing, run));
    MilestoneLocator history = MilestoneLocator.of(repository);
    List<MilestoneLocation> milestones = new ArrayList<>();
    for (String each : runs) {
      milestones.addAll(history.locate(listing.of(each)));
    }
    if (context.json()) {
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      milestones.stream().map(MilestonePrinter::json).forEach(all.putArray("milestones")::add);
      all.set("malformed", MilestonePrinter.json(listing.malformed()));
      context.printJson(all);
      return 0;
    }
    if (milestones.isEmpty()) {
      context.print("no milestones in " + repository.root());
    } else {
      MilestonePrinter.table(context, milestones);
    }
    if (!listing.malformed().isEmpty()) {
      context.print(
          "%d malformed sidecars are ignored: see `baton milestones doctor`"
              .formatted(listing.malformed().size()));
    }
    return 0;
  }
}
