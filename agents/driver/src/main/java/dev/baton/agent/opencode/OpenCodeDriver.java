/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

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
import dev.baton.agent.process.StateText;
import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Drives OpenCode by its server on loopback. It is resumed within its turn, by a message without
 * parts. Its state is its database with the write-ahead log.
 *
 * <p>OpenCode builds each request from its database: when a request comes, the results in it are
 * there. A resume compares the database with the boundary, since one whose write-ahead log is lost
 * or torn has an older conversation, whose calls would be repeated.
 *
 * <p>With a screen it runs as people start it, with a server in the same process.
 */
public final class OpenCodeDriver implements AgentDriver {
  private final ProgramChecker checker =
      new ProgramChecker("opencode", "opencode", "npm install -g opencode-ai@VERSION");

  @Override
  public String use() {
    return "opencode";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.OPENCODE;
  }

  @Override
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    return checker.check(program, starter);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException also when no model is named: OpenCode has no default for the gateway; with
   *     an own login also when it is not named as {@code PROVIDER/MODEL}
   */
  @Override
  public AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    OpenCodeHome.ProviderModel model = OpenCodeHome.model(launch);
    OpenCodeHome home = new OpenCodeHome(launch.folders().home());
    String resumed = launch.start().resumedSession();
    if (resumed != null) {
      String problem = home.problem();
      if (problem != null) {
        return EndedSession.refused(
            resumed, "session " + resumed + " cannot be resumed: " + problem);
      }
    }
    if (launch.start() instanceof AgentStart.Fallback) {
      home.deleteSessions();
    }
    home.prepare(launch);
    if (launch.task().interactive()) {
      return OpenCodeScreenSession.begin(home, launch, starter, listener);
    }
    var prompt = OpenCodeSession.prompt(launch);
    String password = UUID.randomUUID().toString();
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                OpenCodeHome.arguments(launch),
                home.environment(launch, password),
                launch.folders().workspace()));
    return OpenCodeSession.begin(process, listener, launch, home, model, password, prompt);
  }

  @Override
  public StateFiles stateFiles() {
    return OpenCodeHome.STATE;
  }

  /** Rewrites the folders of the sessions in the database, with OpenCode's own SQLite. */
  @Override
  public void relocate(
      AgentFolders folders, Path oldWorkspace, CheckedProgram program, AgentProcessStarter starter)
      throws IOException, InterruptedException {
    OpenCodeHome home = new OpenCodeHome(folders.home());
    if (oldWorkspace.equals(folders.workspace()) || home.problem() != null) {
      return; // Without a database the start refuses the session.
    }
    new OpenCodeDatabase(home, program, starter).move(oldWorkspace, folders.workspace());
  }

  /**
   * Records what the database contains at this boundary. It waits for nothing: OpenCode writes
   * results before it builds the request from them.
   */
  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException {
    OpenCodeHome files = new OpenCodeHome(home);
    if (!StateText.await(bound, () -> files.problem() == null)) {
      return false;
    }
    new OpenCodeBoundary(sessionId, lastCalls).write(files.boundary());
    return true;
  }
}
