/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.milestone.doctor.MilestoneDoctorReport;
import dev.baton.milestone.history.MilestoneLocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code baton milestones doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check each milestone's sidecar of a repository against its history, and their index.",
      "Needs no server. Exit code 1: an error was found."
    },
    footer = {
      "%nExamples:",
      "  baton milestones doctor",
      "  baton milestones doctor --repo ~/website -o json | jq '.milestones[] | select(.commit == null)'"
    })
public final class MilestonesDoctorCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin private final RepositoryOption option = new RepositoryOption();

  public MilestonesDoctorCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    MilestoneDoctorReport found = option.work(context, MilestoneDoctorReport::of);
    context.show(json(found), () -> print(found));
    return (found.isHealthy() ? CliExitCode.OK : CliExitCode.FAILED).number();
  }

  private static ObjectNode json(MilestoneDoctorReport found) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    all.put("healthy", found.isHealthy());
    found.located().stream().map(MilestonePrinter::json).forEach(all.putArray("milestones")::add);
    all.set("malformed", MilestonePrinter.json(found.malformed()));
    found.index().forEach(all.putArray("index")::add);
    found.leftovers().forEach(all.putArray("leftovers")::add);
    return all;
  }

  private void print(MilestoneDoctorReport found) {
    for (MilestoneLocation located : found.located()) {
      context.print(
          "%s  milestone %d of run %s (%s): %s"
              .formatted(
                  word(located),
                  located.sidecar().milestoneIndex(),
                  located.sidecar().runId(),
                  MilestonePrinter.shortened(located.sidecar().sha()),
                  located.describe()));
    }
    found
        .malformed()
        .forEach(
            file ->
                context.print(
                    "%s  %s: %s; remove it, or write it again"
                        .formatted(context.style().bad("malformed"), file.file(), file.reason())));
    found
        .index()
        .forEach(
            problem ->
                context.print(
                    "%s  %s; `baton milestones gc` rebuilds it"
                        .formatted(context.style().bad("index"), problem)));
    found
        .leftovers()
        .forEach(
            file ->
                context.print(
                    "leftover  %s, of a crashed writer; `baton milestones gc` removes it"
                        .formatted(file)));
    context.print(
        found.isHealthy()
            ? "%d sidecars, no errors".formatted(found.located().size())
            : context.style().bad("errors were found"));
  }

  private String word(MilestoneLocation located) {
    String word = located.word();
    return located.commit() == null ? context.style().bad(word) : word;
  }
}
