/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton up}. */
@Command(
    name = "up",
    description =
        "Start everything on this machine: Kafka, Postgres, an object store, the checkpoint-store "
            + "and the orchestrator. They stay up until `baton down`.",
    footer = {
      "%nExamples:",
      "  baton up",
      "  baton up --compact",
      "  baton up --archive ~/baton-runs.git"
    })
public final class UpCommand implements Callable<Integer> {
  private final CommandContext context;

  @Option(
      names = "--foreground",
      description = "Stay in the foreground, and stop everything on Ctrl-C.")
  private boolean foreground;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The API's port. Default: the last one, else 7070, else a free one.")
  private @Nullable Integer port;

  @Option(
      names = "--tls",
      description =
          "Accept only TLS, with certificates of an authority in the data folder, which baton finds"
              + " by itself. Must be given at each start.")
  private boolean tls;

  @Option(
      names = "--compact",
      description =
          "Use less memory: smaller heaps, and no idle runners, so that a run whose runner dies"
              + " waits for a new process. Must be given at each start.")
  private boolean compact;

  @Option(
      names = "--archive",
      paramLabel = "DIR",
      description =
          "Archive runs in this git repository (created if missing), and import the runs in it. "
              + "Same as BATON_ARCHIVE_GIT; must be given at each start.")
  private @Nullable Path archive;

  public UpCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port != null && (port < 1 || port > 65535)) {
      throw CliException.usage("--port " + port + " is not 1 to 65535");
    }
    DataFolder folder = context.dataFolder();
    StackProgram program = StackProgram.of(folder);
    if (archive != null) {
      program =
          program.with(
              Map.of("BATON_ARCHIVE_GIT", archive.toAbsolutePath().normalize().toString()));
    }
    List<String> options = new ArrayList<>();
    if (port != null) {
      options.add("--port");
      options.add(port.toString());
    }
    if (tls) {
      options.add("--tls");
    }
    if (compact) {
      options.add("--compact");
    }
    if (foreground) {
      options.add("--foreground");
      return program.foreground(options) == 0
          ? CliExitCode.OK.number()
          : CliExitCode.FAILED.number();
    }
    StackInfo running = folder.stack().filter(StackInfo::supervised).orElse(null);
    boolean already = running != null;
    if (running == null) {
      already = !start(program, options);
    } else {
      if (archive != null) {
        throw CliException.of(
            CliExitCode.CONFLICT,
            "Baton is up already, --archive is only allowed at its start: run `baton down` first");
      }
      join(program, running);
    }
    report(folder, already);
    return CliExitCode.OK.number();
  }

  /**
   * Returns false when another start came first; from the moment this is detected, Ctrl-C does not
   * stop that stack.
   */
  private boolean start(StackProgram program, List<String> options)
      throws IOException, InterruptedException {
    AtomicBoolean ours = new AtomicBoolean(true);
    try (ProgressIndicator progress =
        ProgressIndicator.start(context.terminal(), "starting Baton")) {
      StartupCacheBuilder.ensure(context.terminal(), progress::line);
      try (StartRollback undo = StartRollback.arm(program, context.terminal())) {
        program.up(
            options,
            line -> {
              if (StackProgram.isOthers(line)) {
                ours.set(false);
                undo.close();
              }
              progress.line(line);
            });
      }
    }
    return ours.get();
  }

  /** Waits until a stack that another command has started is ready; Ctrl-C does not stop it. */
  private void join(StackProgram program, StackInfo running)
      throws IOException, InterruptedException {
    if (tls && !String.valueOf(running.url("orchestrator")).startsWith("https:")) {
      throw CliException.of(
          CliExitCode.CONFLICT, "Baton is up already without TLS: `baton down` first");
    }
    if (compact && !running.compact()) {
      throw CliException.of(
          CliExitCode.CONFLICT, "Baton is up already without --compact: `baton down` first");
    }
    int taken = running.apiPort();
    // Checked here as well as by the program, which is not started for a ready stack.
    if (port != null && taken != 0 && port != taken) {
      throw CliException.of(
          CliExitCode.CONFLICT,
          "Baton is up already on port %d, not %d: `baton down` first".formatted(taken, port));
    }
    if (!running.ready()) {
      try (ProgressIndicator progress =
          ProgressIndicator.start(context.terminal(), "waiting for Baton")) {
        program.up(List.of(), progress::line);
      }
    }
  }

  private void report(DataFolder folder, boolean already) {
    StackInfo stack =
        folder
            .stack()
            .orElseThrow(
                () ->
                    CliException.of(
                        CliExitCode.FAILED,
                        folder.stackFile() + " is missing although the stack started"));
    context.show(
        StackReport.of(folder, stack, already),
        "Baton is %s at %s (data in %s)"
            .formatted(already ? "up already" : "up", stack.url("orchestrator"), folder.path()));
  }
}
