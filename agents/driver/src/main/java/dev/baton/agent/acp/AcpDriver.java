/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

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
import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Drives any agent that speaks the Agent Client Protocol on stdin and stdout ({@code use: acp}).
 *
 * <p>The protocol has no way to continue a turn: a resume opens the session ({@code session/resume}
 * or {@code session/load}) and sends {@link AcpSession#CONTINUE}, which the keys of the gateway
 * leave out. An agent with neither method has its session refused.
 */
public final class AcpDriver implements AgentDriver {
  @Override
  public String use() {
    return "acp";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.ACP;
  }

  @Override
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    return ProgramChecker.checkCommand(
        use(), "the program that speaks ACP and its arguments", program, starter);
  }

  @Override
  public AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    if (launch.start() instanceof AgentStart.Fork fork) {
      String problem = new AcpHome(launch.folders().home()).fork(fork.from(), fork.to());
      return problem == null
          ? start(launch.withStart(fork.forked()), starter, listener)
          : EndedSession.refused(
              fork.from(), "session " + fork.from() + " cannot be forked: " + problem);
    }
    AcpHome home = new AcpHome(launch.folders().home());
    String resumed = launch.start().resumedSession();
    if (resumed != null) {
      String problem = home.problem(resumed);
      if (problem != null) {
        return EndedSession.refused(
            resumed, "session " + resumed + " cannot be resumed: " + problem);
      }
    }
    if (launch.start() instanceof AgentStart.Fallback) {
      home.deleteSessions();
    }
    home.prepare();
    AcpPrompt prompt = AcpPrompt.of(launch);
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                launch.program().command(),
                home.environment(launch),
                launch.folders().workspace()));
    return AcpSession.begin(process, listener, launch, prompt);
  }

  @Override
  public StateFiles stateFiles() {
    return AcpHome.STATE;
  }

  /** Nothing: the folder is a parameter of the requests that open a session. */
  @Override
  public void relocate(
      AgentFolders folders,
      Path oldWorkspace,
      CheckedProgram program,
      AgentProcessStarter starter) {
    // Where an agent keeps paths in its files is not known.
  }

  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException {
    return new AcpHome(home).settled(sessionId, lastCalls, bound);
  }
}
