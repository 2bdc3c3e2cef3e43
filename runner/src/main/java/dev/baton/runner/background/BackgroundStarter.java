/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.protocol.trace.BackgroundOutcome;
import dev.baton.protocol.workflow.BackgroundRule;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts the processes of a list again that the rules of the step name, each in its folder, with
 * its output appended to a file. For one thread.
 *
 * @param starter starts processes with the marks of the step
 * @param environment of the new processes
 * @param ended receives a line for a process that ends later
 */
public record BackgroundStarter(
    List<BackgroundRule> rules,
    AgentProcessStarter starter,
    Map<String, String> environment,
    BackgroundFolder folders,
    BackgroundFiles files,
    Consumer<String> ended) {
  /** A process that ends with an error within this time after its start has not started. */
  static final Duration SETTLED_AFTER = Duration.ofMillis(500);

  private static final String NAME = "baton-background";
  private static final String SHELL = "/bin/sh";

  /** The last word is run: as a command, or as the title of a program that hides its command. */
  private static final String SCRIPT =
      "exec >>\"$1\" 2>&1 </dev/null; cd -- \"$2\" || exit 126; shift 2; ";

  /** What was done about a process of the list. */
  private sealed interface Attempt {
    /** It runs, or has ended since. */
    record Started(AgentProcess running, Path log) implements Attempt {}

    /** It cannot be started, and why. */
    record Refused(String reason) implements Attempt {}

    /** No rule names it, or its parent starts it. */
    record LeftOut() implements Attempt {}
  }

  /**
   * Starts what the rules name: of processes that started each other, the first that matches.
   *
   * @return what became of each process, in the order of the list
   */
  public List<BackgroundOutcome> start(List<BackgroundProcess> processes)
      throws InterruptedException {
    List<Attempt> attempts = new ArrayList<>();
    boolean[] covered = new boolean[processes.size()];
    for (int i = 0; i < processes.size(); i++) {
      BackgroundProcess process = processes.get(i);
      boolean byParent = process.parent() >= 0 && process.parent() < i && covered[process.parent()];
      boolean chosen = !byParent && isRestarted(process);
      covered[i] = byParent || chosen;
      attempts.add(chosen ? begin(process) : new Attempt.LeftOut());
    }
    long settled = System.nanoTime() + SETTLED_AFTER.toNanos();
    List<BackgroundOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < processes.size(); i++) {
      BackgroundProcess process = processes.get(i);
      outcomes.add(
          switch (attempts.get(i)) {
            case Attempt.Started started -> settled(process, started, settled);
            case Attempt.Refused(String reason) -> outcome(process, "failed", reason, null);
            case Attempt.LeftOut _ -> outcome(process, "ended", null, null);
          });
    }
    return outcomes;
  }

  private boolean isRestarted(BackgroundProcess process) {
    for (BackgroundRule rule : rules) {
      if (rule.matches(process.command())) {
        return rule.restart();
      }
    }
    return false;
  }

  private Attempt begin(BackgroundProcess process) {
    String obstacle = process.obstacle();
    if (obstacle != null) {
      return new Attempt.Refused(obstacle);
    }
    try {
      Path log = files.log(process);
      List<String> command = new ArrayList<>();
      command.add(SHELL);
      command.add("-c");
      command.add(SCRIPT + (process.isTitle() ? "eval \"exec $1\"" : "exec \"$@\""));
      command.add(NAME);
      command.add(log.toString());
      command.add(folders.found(process.folder()).toString());
      command.addAll(process.arguments());
      AgentProcess running =
          starter.start(new AgentProcessStarter.AgentCommand(command, environment, folders.seen()));
      return new Attempt.Started(running, log);
    } catch (IOException e) {
      return new Attempt.Refused("it cannot be started: " + e.getMessage());
    }
  }

  private BackgroundOutcome settled(BackgroundProcess process, Attempt.Started started, long until)
      throws InterruptedException {
    try {
      long left = Math.max(0, until - System.nanoTime());
      int code = started.running().onExit().get(left, TimeUnit.NANOSECONDS);
      if (code != 0) {
        return outcome(
            process, "failed", "it ended at once with exit code " + code, started.log().toString());
      }
    } catch (TimeoutException alive) {
      started
          .running()
          .onExit()
          .thenAccept(
              code ->
                  ended.accept(
                      "background process '%s' ended with exit code %d"
                          .formatted(process.command(), code)));
    } catch (ExecutionException e) {
      return outcome(process, "failed", String.valueOf(e.getCause()), started.log().toString());
    }
    return outcome(process, "started", null, started.log().toString());
  }

  private static BackgroundOutcome outcome(
      BackgroundProcess process, String outcome, @Nullable String reason, @Nullable String log) {
    return new BackgroundOutcome(process.command(), process.folder(), outcome, reason, log);
  }
}
