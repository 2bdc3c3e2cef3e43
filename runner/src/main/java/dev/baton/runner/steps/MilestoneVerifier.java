/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.expression.Template;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.StepProcessResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command that must pass before a step's end becomes a milestone. Runs it like a shell
 * step's script: in the workspace, with the step's environment, its output in the step's log.
 */
public final class MilestoneVerifier {
  /** Error code of a failed verification. */
  public static final String FAILED = "verification_failed";

  private MilestoneVerifier() {}

  /**
   * @return why it did not pass; empty if it passed
   * @throws InterruptedException when the run is stopped; no process of the command is left
   */
  public static Optional<StepResult.Failed> run(String command, StepKind kind, StepContext context)
      throws InterruptedException {
    StepLog log = context.log().get();
    tell(command, log);
    Duration limit = context.deadline().left();
    try {
      return switch (ShellStepExecutor.command(
              StepKind.Shell.DEFAULT_INTERPRETER, command, env(kind), context, 0)
          .run(context.hold(), log, limit)) {
        case StepProcessResult.TimedOut timedOut ->
            failed(command + ": stopped after " + ShellStepExecutor.describe(limit), null, log);
        case StepProcessResult.Exited exited when exited.exitCode() == 0 -> Optional.empty();
        case StepProcessResult.Exited exited ->
            failed(
                command + ": " + ShellStepExecutor.describe(exited.exitCode()),
                exited.exitCode(),
                log);
      };
    } catch (IOException | InvalidVariableException e) {
      return failed(command + ": cannot start: " + e.getMessage(), null, log);
    }
  }

  /** Returns the environment of the step's programs, without variables that contain secrets. */
  public static Map<String, String> environment(StepKind kind, StepContext context) {
    Map<String, Template> plain = new LinkedHashMap<>(env(kind));
    plain.values().removeIf(template -> !template.secrets().isEmpty());
    return ShellStepExecutor.environment(plain, context, context.directory().get());
  }

  private static Map<String, Template> env(StepKind kind) {
    return switch (kind) {
      case StepKind.Shell shell -> shell.env();
      case StepKind.Http it -> Map.of();
      case StepKind.Transform it -> Map.of();
      case StepKind.Over it -> Map.of();
      case StepKind.Branches it -> Map.of();
      case StepKind.Approval it -> Map.of();
      case StepKind.Wait it -> Map.of();
      case StepKind.Fn it -> Map.of();
      case StepKind.Agent it -> Map.of();
    };
  }

  private static void tell(String command, StepLog log) {
    byte[] line = ("$ " + command + "\n").getBytes(StandardCharsets.UTF_8);
    StepLog.Stream out = log.stream("stdout");
    out.write(line, line.length);
    out.end();
  }

  private static Optional<StepResult.Failed> failed(
      String message, @Nullable Integer exitCode, StepLog log) {
    return Optional.of(
        new StepResult.Failed(
            new Failure(FAILED, StepResult.shorten(message), exitCode), true, log.tail()));
  }
}
