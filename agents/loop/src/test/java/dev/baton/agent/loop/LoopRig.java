/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentLaunch.ModelAccess;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolRules;
import dev.baton.agent.testkit.AgentRig;
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.agent.testkit.RecordingListener;
import dev.baton.gateway.GatewaySession;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The loop as a process, with a gateway and a scripted model. */
final class LoopRig implements AutoCloseable {
  static final String CLAUDE = "claude-sonnet-4-5";

  final AgentRig rig;
  final Path home;
  final Path workspace;
  final LoopDriver driver = new LoopDriver();

  LoopRig(Path folder, ModelScript script) throws IOException {
    rig = new AgentRig(script);
    home = folder.resolve("home");
    workspace = Files.createDirectories(folder.resolve("work"));
  }

  /** A process of the loop. */
  record Running(AgentSession session, GatewaySession gateway, RecordingListener listener) {
    AgentEnd await() throws Exception {
      try (gateway) {
        return session.end().get(90, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }
    }
  }

  Running start(AgentStart start, String model, AgentTask task, RecordingListener listener)
      throws Exception {
    GatewaySession gateway = rig.open(driver.family(), 0, point -> {});
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", System.getenv("PATH"));
    environment.put("ANTHROPIC_API_KEY", "sk-of-the-user");
    AgentLaunch launch =
        new AgentLaunch(
            "work",
            driver.check(InstalledAgents.of(List.of()), new PlainProcessStarter()),
            new AgentFolders(workspace, home),
            new ModelAccess(rig.gateway().baseUrl(), gateway.token(), model),
            start,
            task,
            environment);
    return new Running(
        driver.start(launch, new PlainProcessStarter(), listener), gateway, listener);
  }

  Running start(AgentStart start) throws Exception {
    return start(start, CLAUDE, AgentTask.PLAIN, new RecordingListener());
  }

  static AgentTask rules(ToolRules rules) {
    return new AgentTask("", rules, List.of(), List.of(), "");
  }

  /** The requests that the endpoint has received. */
  List<ScriptedRequest> requests() {
    return rig.endpoint.requests();
  }

  @Override
  public void close() {
    rig.close();
  }
}
