/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentProgramException;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.trace.RestoredScreen;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.AgentStateTree;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.screen.InteractiveScreen;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The screen of one process of an agent; without effect for a step that is not interactive. Until
 * it is closed, people can attach to it.
 */
final class AgentScreen implements AutoCloseable {
  private static final String CONTRIBUTOR = "tmux";

  private final RunExecutionContext run;
  private final @Nullable InteractiveScreen screen;

  private AgentScreen(RunExecutionContext run, @Nullable InteractiveScreen screen) {
    this.run = run;
    this.screen = screen;
  }

  /**
   * @throws AgentProgramException when tmux is not installed on this machine
   */
  static AgentScreen open(
      StepKind.Agent kind, RunExecutionContext run, String step, AgentStateTree state, StepLog log)
      throws AgentProgramException, IOException {
    if (!kind.interactive()) {
      return new AgentScreen(run, null);
    }
    InteractiveScreen screen =
        InteractiveScreen.prepare(
            step,
            run.folder().agent(step).resolve("screen"),
            state.home(),
            note -> log.note("screen: " + note));
    run.executors().agents().screens().add(run.run(), screen);
    return new AgentScreen(run, screen);
  }

  /** Returns a starter whose processes run on the screen, if there is one. */
  AgentProcessStarter starter(AgentProcessStarter processes) {
    return screen == null ? processes : screen.starter(processes);
  }

  /** What the screen has from a checkpoint, once its program is started; null for nothing. */
  @Nullable RestoredScreen restored() {
    return screen == null ? null : screen.restored();
  }

  /**
   * Saves the screen in the agent's home, within seconds.
   *
   * @return the result, as a contributor of the checkpoint; nothing without a screen
   */
  Map<String, Manifest.Contribution> capture() throws InterruptedException {
    if (screen == null) {
      return Map.of();
    }
    try {
      SavedScreen saved = screen.save();
      return Map.of(
          CONTRIBUTOR,
          Manifest.Contribution.of(
              Map.of("windows", saved.windows().size(), "panes", saved.panes())));
    } catch (IOException e) {
      return Map.of(CONTRIBUTOR, Manifest.Contribution.failed(String.valueOf(e.getMessage())));
    }
  }

  @Override
  public void close() {
    if (screen != null) {
      run.executors().agents().screens().remove(run.run(), screen);
    }
  }
}
