/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

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
import java.util.UUID;

/**
 * Drives Claude Code by lines of JSON on stdin and stdout. It is resumed within its turn, without a
 * new prompt. Its state is the transcript of the session.
 *
 * <p>With a screen it runs as people start it, and the transcript has its events.
 *
 * <p>The transcript is checked before a resume: Claude Code ignores rows that it cannot read, and
 * would repeat the calls whose results are in them.
 */
public final class ClaudeDriver implements AgentDriver {
  private final ProgramChecker checker =
      new ProgramChecker("claude", "claude", "npm install -g @anthropic-ai/claude-code@VERSION");

  @Override
  public String use() {
    return "claude";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.CLAUDE;
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
      SessionRenamer.rename(launch.folders().home(), ClaudeHome.STATE, fork.from(), fork.to());
      return start(launch.withStart(fork.forked()), starter, listener);
    }
    ClaudeHome home = new ClaudeHome(launch.folders().home());
    String resumed = launch.start().resumedSession();
    if (resumed != null) {
      String problem = ClaudeTranscript.problem(home.transcript(resumed));
      if (problem != null) {
        return EndedSession.refused(resumed, problem);
      }
      ClaudeTranscript.dropContinuations(home.transcript(resumed));
    }
    if (launch.start() instanceof AgentStart.Fallback(String prompt, String refused)) {
      Files.deleteIfExists(home.transcript(refused));
    }
    String id = resumed == null ? UUID.randomUUID().toString() : resumed;
    home.prepare(launch);
    if (launch.task().interactive()) {
      return ClaudeScreenSession.begin(home, launch, id, starter, listener);
    }
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                home.arguments(launch, id, resumed != null),
                home.environment(launch),
                launch.folders().workspace()));
    return ClaudeSession.begin(process, listener, launch, id);
  }

  @Override
  public StateFiles stateFiles() {
    return ClaudeHome.STATE;
  }

  /** Nothing: the folder of the transcript has a fixed name. */
  @Override
  public void relocate(
      AgentFolders folders,
      Path oldWorkspace,
      CheckedProgram program,
      AgentProcessStarter starter) {
    // The transcript is found by its id.
  }

  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException {
    ClaudeHome files = new ClaudeHome(home);
    return StateText.await(
        bound,
        () ->
            ClaudeTranscript.contains(
                files.transcript(sessionId), files.subAgents(sessionId), lastCalls));
  }
}
