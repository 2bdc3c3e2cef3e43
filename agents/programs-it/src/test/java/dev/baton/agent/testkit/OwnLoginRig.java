/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Starts an agent with its own login at a scripted endpoint; keeps what happens. */
final class OwnLoginRig implements AgentListener, AutoCloseable {
  private static final long END_SECONDS = 150;

  final ScriptedModelServer model;
  final RecordingListener events = new RecordingListener();

  /** What the endpoint and the folder have at each rest. */
  final List<String> rests = new ArrayList<>();

  /** What has begun before each begin. */
  final List<String> begins = new ArrayList<>();

  private final AgentDriver driver;
  private final List<String> command;
  private final Path folder;

  /**
   * @param command of the installed agent; the test is skipped without it
   */
  OwnLoginRig(AgentDriver driver, List<String> command, Path folder, ModelScript script)
      throws IOException {
    this.driver = driver;
    this.command = command;
    this.folder = folder;
    model = ScriptedModelServer.start(script);
    Files.createDirectories(work());
  }

  Path work() {
    return folder.resolve("work");
  }

  /**
   * Starts the agent.
   *
   * @param provider beginning of the name of the endpoint's variable
   * @param keyVariable of its key, {@code sk-own}
   * @param name of the model
   */
  AgentSession start(String provider, String keyVariable, String name) throws Exception {
    AgentLaunch launch =
        new AgentLaunch(
            "work",
            driver.check(InstalledAgents.of(command), new PlainProcessStarter()),
            new AgentFolders(work(), folder.resolve("home")),
            AgentLaunch.ModelAccess.ownLogin(
                Map.of(keyVariable, "sk-own", provider + "_BASE_URL", model.baseUrl() + "/v1"),
                name),
            new AgentStart.Fresh("Do the work."),
            AgentLaunch.AgentTask.PLAIN,
            Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString()));
    return driver.start(launch, new PlainProcessStarter(), this);
  }

  /** Returns how the agent has ended; kills it when it does not end in time. */
  static AgentEnd end(AgentSession session) throws Exception {
    try {
      return session.end().get(END_SECONDS, TimeUnit.SECONDS);
    } finally {
      session.kill();
    }
  }

  @Override
  public void happened(AgentEvent event) {
    events.happened(event);
  }

  @Override
  public CompletionStage<ToolDecision> decide(ToolApproval approval) {
    return events.decide(approval);
  }

  @Override
  public CompletionStage<ToolDecision> begin(ToolApproval call) {
    begins.add(call.tool() + " after " + events.of(AgentEvent.ToolBegun.class).size());
    return CompletableFuture.completedFuture(new ToolDecision.Allow());
  }

  @Override
  public CompletionStage<Void> rest() {
    rests.add(
        "%d requests, %d answers, %d calls of %d, %s"
            .formatted(
                model.requests().size(),
                events.of(AgentEvent.AnswerReported.class).size(),
                events.of(AgentEvent.ToolEnded.class).size(),
                events.of(AgentEvent.ToolBegun.class).size(),
                words()));
    return CompletableFuture.completedFuture(null);
  }

  private String words() {
    try {
      Path file = work().resolve("out.txt");
      return Files.exists(file)
          ? String.join("", Files.readAllLines(file).stream().sorted().toList())
          : "-";
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    model.close();
  }
}
