/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.StateFiles;
import dev.baton.agent.process.EndedSession;
import dev.baton.agent.process.ProgramChecker;
import dev.baton.agent.process.SessionRenamer;
import dev.baton.agent.process.StateText;
import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Drives Codex by its app server. It is resumed within its turn, by a turn without input. Its state
 * is the rollout of the session; the databases next to it contain absolute paths and are left out.
 *
 * <p>With a screen it runs as people start it, and the rollout has its events. A resumed screen
 * waits for a person, so a turn that was open is continued with a prompt, which the gateway leaves
 * out of its keys.
 */
public final class CodexDriver implements AgentDriver {
  private final ProgramChecker checker =
      new ProgramChecker("codex", "codex", "npm install -g @openai/codex@VERSION");

  @Override
  public String use() {
    return "codex";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.CODEX;
  }

  @Override
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    return checker.check(program, starter);
  }

  @Override
  public AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    if (launch.start() instanceof AgentStart.Fork fork) {
      SessionRenamer.rename(launch.folders().home(), CodexHome.STATE, fork.from(), fork.to());
      return start(launch.withStart(fork.forked()), starter, listener);
    }
    CodexHome home = new CodexHome(launch.folders().home());
    String resumed = launch.start().resumedSession();
    Path rollout = resumed == null ? null : home.rollout(resumed).orElse(null);
    if (resumed != null) {
      String problem =
          rollout == null ? "its rollout is missing" : CodexRollout.problem(rollout, resumed);
      if (problem != null) {
        return EndedSession.refused(resumed, problem);
      }
    }
    if (launch.start() instanceof AgentStart.Fallback) {
      StateText.delete(home.sessions());
    }
    home.prepare(launch);
    if (launch.task().interactive()) {
      return CodexScreenSession.begin(home, launch, rollout, starter, listener);
    }
    ArrayNode prompt = CodexSession.input(launch);
    CodexHookFolder hooks = launch.model().isOwnLogin() ? CodexHookFolder.create(home) : null;
    AgentProcess process;
    try {
      process =
          starter.start(
              new AgentProcessStarter.AgentCommand(
                  home.arguments(launch), home.environment(launch), launch.folders().workspace()));
    } catch (IOException | RuntimeException e) {
      if (hooks != null) {
        hooks.close();
      }
      throw e;
    }
    return CodexSession.begin(process, listener, launch, prompt, hooks);
  }

  @Override
  public StateFiles stateFiles() {
    return CodexHome.STATE;
  }

  /** Removes the databases, which name the old paths; Codex builds them again. */
  @Override
  public void relocate(
      AgentFolders folders, Path oldWorkspace, CheckedProgram program, AgentProcessStarter starter)
      throws IOException {
    CodexHome home = new CodexHome(folders.home());
    if (Files.isDirectory(home.folder())) {
      try (var files = Files.newDirectoryStream(home.folder(), "*.sqlite*")) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
    }
  }

  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException {
    CodexHome files = new CodexHome(home);
    return StateText.await(
        bound,
        () -> {
          Optional<Path> rollout = files.rollout(sessionId);
          return rollout.isPresent()
              && CodexRollout.contain(
                  rollout.get(),
                  sessionId,
                  CodexSubAgent.of(files.sessions(), sessionId),
                  lastCalls);
        });
  }
}
