/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentStart;
import dev.baton.agent.process.AgentEnvironment;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.BackgroundOutcome;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.BackgroundRule;
import dev.baton.runner.background.BackgroundFiles;
import dev.baton.runner.background.BackgroundFolder;
import dev.baton.runner.background.BackgroundProcess;
import dev.baton.runner.background.BackgroundScanner;
import dev.baton.runner.background.BackgroundStarter;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.steps.StepContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The processes in the background of one process of an agent: lists them at boundaries, and starts
 * those of the checkpoint again before the agent continues. Nothing here fails a step. Thread-safe.
 */
final class AgentBackgroundRuntime implements AutoCloseable {
  /** Variable with the path of the report for a resumed agent. */
  static final String REPORT = "BATON_BACKGROUND_REPORT";

  private static final String CONTRIBUTOR = "background";

  private final BackgroundFiles files;
  private final BackgroundScanner scanner;
  private final AgentProcessLauncher launcher;
  private final AtomicBoolean closed;
  private final List<BackgroundOutcome> outcomes;
  private final @Nullable Path report;

  private AgentBackgroundRuntime(
      BackgroundFiles files,
      BackgroundScanner scanner,
      AgentProcessLauncher launcher,
      AtomicBoolean closed,
      List<BackgroundOutcome> outcomes,
      @Nullable Path report) {
    this.files = files;
    this.scanner = scanner;
    this.launcher = launcher;
    this.closed = closed;
    this.outcomes = List.copyOf(outcomes);
    this.report = report;
  }

  /**
   * Starts the processes again that the restored home of the agent lists and the rules name; none
   * for an agent that begins.
   *
   * @param agent starts the processes of the agent
   */
  static AgentBackgroundRuntime start(
      List<BackgroundRule> rules,
      RunExecutionContext run,
      StepContext context,
      Workspace workspace,
      AgentProcessLauncher agent,
      AgentLaunch launch,
      StepLog log)
      throws InterruptedException {
    BackgroundFiles files = new BackgroundFiles(launch.folders().home());
    BackgroundFolder folders = new BackgroundFolder(workspace.root(), launch.folders().workspace());
    Map<String, String> marks = new HashMap<>(context.marks());
    marks.put(BackgroundScanner.MARK, "1");
    AgentProcessLauncher launcher =
        new AgentProcessLauncher(
            context.hold(), workspace.root(), context.fixed(), marks, context.sandbox());
    AtomicBoolean closed = new AtomicBoolean();
    boolean good = false;
    try {
      List<BackgroundOutcome> outcomes =
          new BackgroundStarter(
                  rules,
                  launcher,
                  AgentEnvironment.of(launch.environment(), Map.of()),
                  folders,
                  files,
                  line -> {
                    if (!closed.get()) {
                      log.note(line);
                    }
                  })
              .start(listed(files, log));
      Path report = report(outcomes, files, log);
      if (!outcomes.isEmpty()) {
        run.journal().send(new TraceEvent.BackgroundResumed(context.step(), outcomes));
      }
      good = true;
      return new AgentBackgroundRuntime(
          files,
          new BackgroundScanner(
              context.marks().entrySet().stream()
                  .map(mark -> mark.getKey() + "=" + mark.getValue())
                  .collect(Collectors.toSet()),
              AgentMcpRuntime.MARK,
              agent::roots,
              folders,
              System.getenv()),
          launcher,
          closed,
          outcomes,
          report);
    } finally {
      if (!good) {
        launcher.close();
      }
    }
  }

  private static List<BackgroundProcess> listed(BackgroundFiles files, StepLog log) {
    try {
      return files.read();
    } catch (IOException e) {
      log.note("no process in the background is started again: " + e.getMessage());
      return List.of();
    }
  }

  private static @Nullable Path report(
      List<BackgroundOutcome> outcomes, BackgroundFiles files, StepLog log) {
    for (BackgroundOutcome outcome : outcomes) {
      log.note("background process " + line(outcome));
    }
    if (outcomes.isEmpty()) {
      return null;
    }
    try {
      return files.report(outcomes);
    } catch (IOException e) {
      log.note("the report about processes in the background cannot be written: " + e.getMessage());
      return null;
    }
  }

  private static String line(BackgroundOutcome outcome) {
    String result =
        switch (outcome.outcome()) {
          case "started" -> "was ended and started again, its output is in " + outcome.log();
          case "failed" -> "was ended and could not be started again: " + outcome.reason();
          default -> "was ended";
        };
    return "'%s' in %s %s".formatted(outcome.command(), outcome.folder(), result);
  }

  /**
   * Returns the launch with the report: in a variable, and in the prompt of a new session that
   * replaces a lost one. A resumed conversation does not change.
   */
  AgentLaunch reported(AgentLaunch launch) {
    if (outcomes.isEmpty()) {
      return launch;
    }
    AgentLaunch changed = report == null ? launch : launch.withVariable(REPORT, report.toString());
    return changed.start() instanceof AgentStart.Fallback(String prompt, String refused)
        ? changed.withStart(new AgentStart.Fallback(prompt + "\n\n" + text(), refused))
        : changed;
  }

  private String text() {
    return outcomes.stream()
        .map(outcome -> "- " + line(outcome))
        .collect(
            Collectors.joining("\n", "Processes in the background of the lost session:\n", ""));
  }

  /** Marks what is alive now as the agent's own program: it has not used a tool yet. */
  void agentIsReady() {
    scanner.agentIsReady();
  }

  /**
   * Lists the processes for a checkpoint, in the agent's home and for the manifest.
   *
   * @param contributors receives the reason when they cannot be listed
   */
  List<Manifest.BackgroundProcess> capture(Map<String, Manifest.Contribution> contributors) {
    if (!BackgroundScanner.isSupported()) {
      contributors.put(
          CONTRIBUTOR,
          Manifest.Contribution.failed("not available on this system: it has no /proc"));
      return List.of();
    }
    try {
      List<BackgroundProcess> processes = scanner.scan();
      files.write(processes);
      files.trimLogs();
      return processes.stream()
          .map(
              process ->
                  new Manifest.BackgroundProcess(
                      process.command(), process.folder(), process.startedAt()))
          .toList();
    } catch (IOException e) {
      contributors.put(CONTRIBUTOR, Manifest.Contribution.failed(String.valueOf(e.getMessage())));
      return List.of();
    }
  }

  /** Ends the processes that were started again; repeating it has no effect. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      launcher.close();
    }
  }
}
