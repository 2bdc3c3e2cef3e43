/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.chaos;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.ChaosProgram;
import dev.baton.cli.stack.StartupCacheBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton chaos}. */
@Command(
    name = "chaos",
    description =
        "Inject faults into a stack of its own while runs execute, record what a client observes, "
            + "and check the guarantees. Exit code 1 when one is violated.",
    footer = {
      "%nExamples:",
      "  baton chaos --seed 7 --minutes 5",
      "  baton chaos --replicas 2",
      "  baton chaos --only GROW_TOPICS,KILL_RUNNER --minutes 1",
      "  baton chaos --minutes 60 --runs 600 --out /tmp/night -o json",
      "  baton chaos --check /tmp/night"
    })
public final class ChaosCommand implements Callable<Integer> {
  private static final double SHORTEST = 0.2;
  private static final double LONGEST = 7 * 24 * 60;

  private final CommandContext context;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of faults and workload; printed, so that the test can be repeated.")
  private @Nullable Long seed;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "Minutes of fault injection, 0.2 to 10080. Default: 5.")
  private @Nullable Double minutes;

  @Option(
      names = "--runs",
      paramLabel = "R",
      description = "Minimum number of runs, 1 to 100000. Default: 50.")
  private @Nullable Integer runs;

  @Option(
      names = "--faults",
      paramLabel = "F",
      description = "Number of planned kills, 0 to 1000000. Default: 50 a minute.")
  private @Nullable Integer faults;

  @Option(
      names = "--at-once",
      paramLabel = "A",
      description = "Concurrent runs, 1 to 1000. Default: 8.")
  private @Nullable Integer atOnce;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description = "Number of orchestrators, and of checkpoint-stores, 1 to 3. Default: 1.")
  private @Nullable Integer replicas;

  @Option(
      names = "--only",
      paramLabel = "KIND",
      split = ",",
      description =
          "Kinds of faults to inject, separated by commas, such as GROW_TOPICS. Default: all.")
  private @Nullable List<String> only;

  @Option(
      names = "--bound",
      paramLabel = "SECONDS",
      description =
          "Seconds after the last fault within which all runs must end, 1 to 86400. Default: 300.")
  private @Nullable Integer bound;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder for the recorded history. Default: chaos-<seed>.")
  private @Nullable Path out;

  @Option(
      names = "--check",
      paramLabel = "DIR",
      description = "Check a recorded history again; needs no stack.")
  private @Nullable Path check;

  public ChaosCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    if (context.json()) {
      arguments.add("--json");
    }
    if (check == null) {
      arguments.addAll(options());
    } else if (!options().isEmpty()) {
      throw CliException.usage(
          "--check evaluates a recorded history and allows no other option; given: "
              + String.join(" ", options()));
    } else {
      arguments.addAll(List.of("--check", check.toString()));
    }
    if (System.getProperty("baton.home", "").isEmpty()) {
      throw CliException.usage(
          "the location of Baton's programs is unknown: start this command with ./baton, which sets it");
    }
    if (check == null) {
      StartupCacheBuilder.ensure(
          context.terminal(), line -> context.terminal().err().println(line));
    }
    return ChaosProgram.run(arguments);
  }

  private List<String> options() {
    List<String> options = new ArrayList<>();
    add(options, "--seed", seed);
    add(options, "--minutes", within("--minutes", minutes, SHORTEST, LONGEST));
    add(options, "--runs", within("--runs", runs, 1, 100_000));
    add(options, "--faults", within("--faults", faults, 0, 1_000_000));
    add(options, "--at-once", within("--at-once", atOnce, 1, 1000));
    add(options, "--replicas", within("--replicas", replicas, 1, 3));
    add(options, "--only", only == null ? null : String.join(",", only));
    add(options, "--bound-seconds", within("--bound", bound, 1, 86_400));
    add(options, "--out", out);
    return options;
  }

  private static <T extends Number> @Nullable T within(
      String name, @Nullable T value, double least, double most) {
    if (value != null && !(value.doubleValue() >= least && value.doubleValue() <= most)) {
      throw CliException.usage(
          "%s %s is not %s to %d"
              .formatted(
                  name,
                  value,
                  least == (long) least ? Long.toString((long) least) : Double.toString(least),
                  (long) most));
    }
    return value;
  }

  private static void add(List<String> options, String name, @Nullable Object value) {
    if (value != null) {
      options.add(name);
      options.add(value.toString());
    }
  }
}
