/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.command;

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
import dev.baton.agent.McpAccess;
import dev.baton.agent.StateFiles;
import dev.baton.agent.process.AgentEnvironment;
import dev.baton.agent.process.EndedSession;
import dev.baton.agent.process.ProgramChecker;
import dev.baton.agent.process.SessionRenamer;
import dev.baton.agent.process.StateText;
import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Runs any program as an agent ({@code use: command}). It gets the prompt on stdin, the gateway in
 * the variables of both kinds of clients, and its home in {@code BATON_AGENT_HOME}. Its stdout is
 * the final text.
 *
 * <p>A program has no session that could be continued: a resume runs it again with the same prompt
 * and {@code BATON_RESUMED_FROM}, on the files of the checkpoint.
 */
public final class CommandDriver implements AgentDriver {
  private static final String PROMPT = "command/prompt.txt";
  private static final String SESSION = "command/session";
  private static final String RESUMED_FROM = "BATON_RESUMED_FROM";

  @Override
  public String use() {
    return "command";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.OTHER;
  }

  @Override
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException {
    return ProgramChecker.checkCommand(use(), "the program and its arguments", program, starter);
  }

  @Override
  public AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    Path home = launch.folders().home();
    Files.createDirectories(home);
    String session;
    String prompt;
    switch (launch.start()) {
      case AgentStart.Fresh(String text) -> {
        session = UUID.randomUUID().toString();
        prompt = text;
      }
      case AgentStart.Fallback(String text, String refused) -> {
        session = UUID.randomUUID().toString();
        prompt = text;
      }
      case AgentStart.Resume(String id) -> {
        String problem = problem(home, id);
        if (problem != null) {
          return EndedSession.refused(id, problem);
        }
        session = id;
        prompt = Files.readString(home.resolve(PROMPT));
      }
      case AgentStart.Continue(String id, String text) -> {
        session = id;
        prompt = text;
      }
      case AgentStart.Fork fork -> {
        SessionRenamer.rename(
            home, new StateFiles(List.of(SESSION), List.of()), fork.from(), fork.to());
        return start(launch.withStart(fork.forked()), starter, listener);
      }
    }
    StateText.write(home.resolve(PROMPT), prompt);
    StateText.write(home.resolve(SESSION), session);
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                launch.program().command(),
                environment(launch, session),
                launch.folders().workspace()));
    return CommandSession.begin(process, listener, session, launch, input(launch, prompt));
  }

  private static String input(AgentLaunch launch, String prompt) {
    String system = launch.task().system();
    return system.isBlank() ? prompt : system + "\n\n" + prompt;
  }

  private static @org.jspecify.annotations.Nullable String problem(Path home, String id)
      throws IOException {
    Path session = home.resolve(SESSION);
    if (!Files.isRegularFile(session) || !Files.isRegularFile(home.resolve(PROMPT))) {
      return "the prompt of session " + id + " is not in the restored state";
    }
    String found = Files.readString(session).strip();
    return found.equals(id) ? null : "the restored state is of session " + found + ", not " + id;
  }

  private static Map<String, String> environment(AgentLaunch launch, String session) {
    String base = launch.model().baseUrl().toString();
    Map<String, String> own = new HashMap<>();
    own.put("ANTHROPIC_BASE_URL", base);
    own.put("ANTHROPIC_API_KEY", launch.model().token());
    own.put("OPENAI_BASE_URL", base + "/v1");
    own.put("OPENAI_API_KEY", launch.model().token());
    own.put("BATON_MODEL", launch.model().model());
    own.put("BATON_AGENT_HOME", launch.folders().home().toString());
    own.put("BATON_AGENT_SESSION", session);
    if (!launch.task().mcp().isEmpty()) {
      own.put("BATON_MCP_SERVERS", McpAccess.toJson(launch.task().mcp()));
    }
    if (launch.start().resumedSession() != null
        && !launch.environment().containsKey(RESUMED_FROM)) {
      own.put(RESUMED_FROM, session);
    }
    return AgentEnvironment.of(launch.environment(), own);
  }

  /** Everything in the home: what is there is the program's own choice. */
  @Override
  public StateFiles stateFiles() {
    return new StateFiles(List.of("**"), List.of("**/*.part", "tmp/**"));
  }

  @Override
  public void relocate(
      AgentFolders folders,
      Path oldWorkspace,
      CheckedProgram program,
      AgentProcessStarter starter) {
    // The driver's own files name no paths.
  }

  /** Always true: the program's files are not known. */
  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound) {
    return true;
  }
}
