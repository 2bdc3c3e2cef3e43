/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import dev.baton.protocol.trace.RunId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton milestones gc}. */
@Command(
    name = "gc",
    description = {
      "Remove the sidecars of runs that no longer exist on the server, or of one run.",
      "Commits stay. Rebuilds the index, and removes leftover files of crashed writers."
    },
    footer = {
      "%nExamples:",
      "  baton milestones gc --dry-run",
      "  baton milestones gc --repo ~/website",
      "  baton milestones gc --run 01jd0000000000000000abcdef"
    })
public final class MilestonesGcCommand implements Runnable {
  private final CommandContext context;

  @Mixin private final RepositoryOption option = new RepositoryOption();

  @Option(
      names = "--run",
      paramLabel = "ID",
      description =
          "Only sidecars of this run, whether or not it exists on the server; needs no server.")
  private @Nullable String run;

  @Option(names = "--dry-run", description = "Show what would be removed, but remove nothing.")
  private boolean dryRun;

  /** The runs to remove, and those whose ids are not Baton ids. */
  private record Gone(List<String> runs, List<String> notAsked) {}

  public MilestonesGcCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    option.work(context, this::collect);
  }

  private int collect(GitRepository repository) throws IOException, InterruptedException {
    SidecarStore sidecars = new SidecarStore(repository.root(), SidecarStore.Format.BATON);
    SidecarStore.Listing listing = sidecars.list();
    Gone gone = run == null ? ofServer(listing) : new Gone(List.of(one(listing, run)), List.of());
    List<MilestoneSidecar> removed =
        listing.sidecars().stream().filter(each -> gone.runs().contains(each.runId())).toList();
    if (!dryRun && sidecars.exist()) {
      sidecars.remove(removed, listing.leftovers());
    }
    context.show(
        json(gone, removed, listing.leftovers()), () -> print(gone, removed, listing.leftovers()));
    return 0;
  }

  private static String one(SidecarStore.Listing listing, String text) {
    String id = RepositoryOption.run(listing, text);
    if (listing.of(id).isEmpty()) {
      throw CliException.of(CliExitCode.NOT_FOUND, "no sidecar is of run '" + id + "'");
    }
    return id;
  }

  private Gone ofServer(SidecarStore.Listing listing) {
    List<String> gone = new ArrayList<>();
    List<String> notAsked = new ArrayList<>();
    for (String each : listing.runs()) {
      if (!RunId.isValid(each)) {
        notAsked.add(each);
      } else if (!isKnown(each)) {
        gone.add(each);
      }
    }
    return new Gone(gone, notAsked);
  }

  private boolean isKnown(String id) {
    try {
      context.client().get("/runs/" + id);
      return true;
    } catch (CliException e) {
      if (e.code() == CliExitCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private ObjectNode json(Gone gone, List<MilestoneSidecar> removed, List<String> leftovers) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("dry_run", dryRun);
    gone.runs().forEach(node.putArray("runs")::add);
    ArrayNode shas = node.putArray("removed");
    removed.forEach(sidecar -> shas.add(sidecar.sha()));
    leftovers.forEach(node.putArray("leftovers")::add);
    gone.notAsked().forEach(node.putArray("not_asked")::add);
    return node;
  }

  private void print(Gone gone, List<MilestoneSidecar> removed, List<String> leftovers) {
    String verb = dryRun ? "would be removed" : "removed";
    removed.forEach(
        sidecar ->
            context.print(
                "%s: milestone %d of run %s (%s)"
                    .formatted(
                        verb,
                        sidecar.milestoneIndex(),
                        sidecar.runId(),
                        MilestonePrinter.shortened(sidecar.sha()))));
    leftovers.forEach(file -> context.print(verb + ": " + file));
    gone.notAsked()
        .forEach(
            each ->
                context.print(
                    "kept: sidecars of run %s, which is not a Baton run; --run removes them"
                        .formatted(each)));
    context.print("%d sidecars of %d runs %s".formatted(removed.size(), gone.runs().size(), verb));
  }
}
