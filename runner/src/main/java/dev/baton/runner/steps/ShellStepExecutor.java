/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.Template;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.LogTail;
import dev.baton.protocol.workflow.ShellOutput;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.StepProcess;
import dev.baton.runner.process.StepProcessResult;
import dev.baton.runner.sandbox.SandboxException;
import dev.baton.runner.sandbox.StepSandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Runs the script of a shell step. */
final class ShellStepExecutor implements StepExecutor<StepKind.Shell> {
  private static final int KILLED = 128;

  /** What the command presents and trusts where the orchestrator requires TLS. */
  private static final List<String> TLS =
      List.of("BATON_TLS_TRUST", "BATON_TLS_CERTIFICATE", "BATON_TLS_KEY");

  @Override
  public StepResult execute(StepKind.Shell kind, StepContext context) throws InterruptedException {
    Path directory = context.directory().get();
    StepLog log = context.log().get();
    Duration limit = context.deadline().left();
    try {
      Optional<StepSandbox> sandbox = context.sandbox();
      if (sandbox.isPresent()) {
        sandbox.get().check(kind);
      }
      int keep = kind.output() instanceof ShellOutput.Stdout ? ShellOutput.MAX_BYTES : 0;
      StepProcess command = command(kind.interpreter(), kind.script(), kind.env(), context, keep);
      return switch (command.run(context.hold(), log, limit)) {
        case StepProcessResult.TimedOut timedOut ->
            failed(new Failure("timeout", "stopped after " + describe(limit), null), log);
        case StepProcessResult.Exited exited -> exited(kind, exited, context, log);
      };
    } catch (SandboxException e) {
      return StepResult.failedForGood(e.code(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return StepResult.failed("exit_code", "cannot start: " + e.getMessage());
    } catch (InvalidVariableException e) {
      return StepResult.failedForGood("argument_invalid", String.valueOf(e.getMessage()));
    }
  }

  /**
   * @param stdoutLimit bytes of standard output to keep; 0 for none
   */
  static StepProcess command(
      List<String> interpreter,
      String script,
      Map<String, Template> env,
      StepContext context,
      int stdoutLimit) {
    Path directory = context.directory().get();
    List<String> words = new ArrayList<>(interpreter);
    words.add(script);
    return new StepProcess(
        words,
        directory,
        environment(env, context, directory),
        context.marks().entrySet().stream()
            .map(mark -> mark.getKey() + "=" + mark.getValue())
            .collect(Collectors.toSet()),
        stdoutLimit,
        context.fixed(),
        context.sandbox());
  }

  static Map<String, String> environment(
      Map<String, Template> env, StepContext context, Path directory) {
    Map<String, String> step = new LinkedHashMap<>();
    env.forEach(
        (name, value) ->
            step.put(
                name,
                InvalidVariableException.check(
                    name, value.render(context.scope(), context.secrets()))));
    Map<String, String> baton = new LinkedHashMap<>(context.marks());
    baton.put("BATON_ATTEMPT", Integer.toString(context.attempt()));
    baton.put("BATON_IDEMPOTENCY_KEY", context.idempotencyKey());
    Path seen = context.fixed().seen(directory);
    baton.put("BATON_WORKSPACE", seen.toString());
    // For programs outside the step, such as a container engine.
    baton.put("BATON_WORKSPACE_ON_HOST", directory.toString());
    if (!context.leftOut().isEmpty()) {
      baton.put("BATON_LEFT_OUT", String.join("\n", context.leftOut()));
    }
    String resumedFrom = context.resumedFrom();
    if (resumedFrom != null) {
      baton.put("BATON_RESUMED_FROM", resumedFrom);
    }
    String server = System.getenv("BATON_ORCHESTRATOR_URL");
    if (server != null) {
      // For {@code baton guard} and other commands that a step may use.
      baton.put("BATON_SERVER", server);
      for (String variable : TLS) {
        String file = System.getenv(variable);
        if (file != null) {
          baton.put(variable, file);
        }
      }
      if (!context.stepToken().isEmpty()) {
        baton.put("BATON_API_KEY", context.stepToken());
      }
    }
    Map<String, String> all = context.environment().build(step, baton);
    return context.sandbox().map(sandbox -> sandbox.environment(all, step.keySet())).orElse(all);
  }

  private static StepResult exited(
      StepKind.Shell kind, StepProcessResult.Exited exited, StepContext context, StepLog log) {
    Path directory = context.directory().get();
    int code = exited.exitCode();
    if (!kind.okExitCodes().contains(code)) {
      return failed(new Failure("exit_code", describe(code), code), log);
    }
    LogTail tail = log.tail();
    try {
      if (ShellOutputReader.isCut(kind.output(), exited, context.outputIsRead())) {
        log.note(ShellOutputReader.CUT);
      }
      JsonNode output =
          ShellOutputReader.read(
              kind.output(),
              exited,
              directory,
              context.fixed().seen(directory),
              context.outputIsRead(),
              context.secrets().masker());
      return new StepResult.Done(output, code, tail);
    } catch (IOException e) {
      String message = StepResult.shorten(String.valueOf(e.getMessage()));
      return failed(new Failure("output_invalid", message, code), log);
    }
  }

  private static StepResult failed(Failure failure, StepLog log) {
    return new StepResult.Failed(failure, true, log.tail());
  }

  static String describe(int code) {
    return code > KILLED ? "killed by signal " + (code - KILLED) : "exit code " + code;
  }

  static String describe(@org.jspecify.annotations.Nullable Duration limit) {
    return limit == null ? "its time" : limit.toMillis() + " ms";
  }
}
