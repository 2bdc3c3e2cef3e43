/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.guard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.workflow.DurationParser;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code baton guard -- CMD…}. Queries whether the step's epoch holds the run, and starts the
 * command only if it does. An unknown answer counts as no.
 */
@Command(
    name = "guard",
    description = {
      "Run a command with effects outside the workspace (a push, a deploy) only while this step's runner"
          + " holds the run.",
      "For use in steps. The command's exit code is passed on; 120: not started, since the"
          + " run was taken over by another runner; 121: not started, since this could not be determined in time."
    },
    footer = {
      "%nExamples:",
      "  baton guard -- git push origin HEAD",
      "  baton guard --timeout 30s -- ./deploy.sh production"
    })
public final class GuardCommand implements Callable<Integer> {
  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration MOST = Duration.ofMinutes(10);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** The shell's exit code for a command that cannot be started. */
  private static final int CANNOT_START = 127;

  private final CommandContext context;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description =
          "Maximum time of the query, 100ms to 10m; after it the command is not started. Default: ${DEFAULT-VALUE}.")
  private String timeout = "10s";

  @Option(names = "--run", paramLabel = "ID", description = "The run. Default: $$BATON_RUN_ID.")
  private @Nullable String run;

  @Option(names = "--epoch", paramLabel = "N", description = "Default: $$BATON_EPOCH.")
  private @Nullable Integer epoch;

  @Parameters(
      arity = "1..*",
      paramLabel = "CMD",
      description = "The command and its arguments, after --.")
  private List<String> command = List.of();

  public GuardCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Duration patience = patience();
    String of = run == null ? variable("BATON_RUN_ID", "--run") : run;
    int asked = epoch == null ? number(variable("BATON_EPOCH", "--epoch")) : epoch;
    JsonNode answer = ask(of, asked, patience);
    if (!answer.path("current").asBoolean(false)) {
      throw CliException.of(
          CliExitCode.FENCED,
          "not started: %s (run %s, this step's epoch is %d)"
              .formatted(
                  answer.path("reason").asText("this epoch does not hold the run"), of, asked));
    }
    return start();
  }

  private Duration patience() {
    Duration asked = DurationParser.parse(timeout).orElse(Duration.ZERO);
    if (asked.compareTo(LEAST) < 0 || asked.compareTo(MOST) > 0) {
      throw CliException.usage(
          "--timeout '%s' is not a duration from 100ms to 10m".formatted(timeout));
    }
    return asked;
  }

  private String variable(String name, String option) {
    String value = context.environment().get(name);
    if (value == null || value.isBlank()) {
      throw CliException.usage(
          "$%s is not set: guard is for commands in steps; elsewhere name the run with %s"
              .formatted(name, option));
    }
    return value;
  }

  private static int number(String text) {
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw CliException.usage("$BATON_EPOCH '%s' is not a number from 1".formatted(text));
    }
    return Integer.parseInt(text);
  }

  /** Queries until there is a response or the time is over. */
  private JsonNode ask(String of, int asked, Duration patience) {
    String path =
        UrlQueryBuilder.of("/runs/" + UrlQueryBuilder.encode(of) + "/epoch")
            .with("epoch", asked)
            .toString();
    long end = System.nanoTime() + patience.toNanos();
    RetryBackoff pause = new RetryBackoff(FIRST_PAUSE, LONGEST_PAUSE);
    CliException last = null;
    while (true) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      if (left.compareTo(Duration.ofMillis(1)) < 0) {
        throw CliException.of(
            CliExitCode.UNKNOWN,
            "not started: could not determine within %3$s whether epoch %1$d holds run %2$s: %4$s"
                .formatted(
                    asked, of, TimeFormatter.duration(patience), last == null ? "" : last.line()));
      }
      try {
        return context.client().get(path, left);
      } catch (CliException failure) {
        last = failure;
        switch (failure.code()) {
          case NOT_FOUND -> {
            // A definite answer: a deleted run must not act.
            return JsonNodeFactory.instance
                .objectNode()
                .put("current", false)
                .put("reason", failure.line());
          }
          case UNREACHABLE, TIMEOUT, SERVER -> {}
          case OK, FAILED, USAGE, AMBIGUOUS, CONFLICT, PAUSED, PIPE, INTERRUPTED, FENCED, UNKNOWN ->
              throw failure;
        }
      }
      if (Duration.ofNanos(end - System.nanoTime()).compareTo(LONGEST_PAUSE) > 0) {
        pause.next();
      } else {
        RetryBackoff.of(FIRST_PAUSE).next();
      }
    }
  }

  private int start() {
    Process process;
    try {
      process = new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      context.terminal().err().println("baton: cannot start: " + e.getMessage());
      return CANNOT_START;
    }
    // A signal that ends the guard must end the command, too.
    Thread end = new Thread(process::destroy);
    Runtime.getRuntime().addShutdownHook(end);
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    } finally {
      if (!process.isAlive()) {
        removeHook(end);
      }
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook runs and finds no process to end.
      return;
    }
  }
}
