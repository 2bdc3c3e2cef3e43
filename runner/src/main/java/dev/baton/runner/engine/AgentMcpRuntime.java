/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentLaunch;
import dev.baton.agent.McpAccess;
import dev.baton.agent.StateFiles;
import dev.baton.agent.mcp.McpObserver;
import dev.baton.agent.mcp.McpServerPool;
import dev.baton.agent.mcp.McpServerSpec;
import dev.baton.agent.mcp.McpStateFolder;
import dev.baton.protocol.conversation.ConversationFolder;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.McpServerDefinition;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.screen.InteractiveScreen;
import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.steps.StepContext;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Runs the MCP servers of one process of an agent as processes of its step. Each has a mark of its
 * own in addition to those of the step, so that ending one ends no other. Thread-safe.
 */
final class AgentMcpRuntime implements AutoCloseable {
  /** Variable that only servers and their processes have. */
  static final String MARK = "BATON_MCP_SERVER";

  private final McpServerPool pool;
  private final List<AgentProcessLauncher> launchers;
  private boolean closed;

  private AgentMcpRuntime(McpServerPool pool, List<AgentProcessLauncher> launchers) {
    this.pool = pool;
    this.launchers = List.copyOf(launchers);
  }

  /**
   * Returns the files of the agent's home that are captured: of the agent, of servers, the
   * conversation, and of its screen.
   */
  static Predicate<Path> stateFiles(
      Map<String, McpServerDefinition> servers, StateFiles ofTheAgent) {
    Map<String, List<String>> globs = new HashMap<>();
    servers.forEach((name, server) -> globs.put(name, server.state()));
    return file ->
        McpStateFolder.contains(file)
            ? McpStateFolder.isState(file, globs)
            : ConversationFolder.contains(file)
                || InteractiveScreen.isState(file)
                || ofTheAgent.contains(file);
  }

  /**
   * Starts the servers with the state that the agent's home has, and waits until each is ready or
   * has failed. A server that fails is noted in the step's log.
   *
   * @param tls whose authorities servers elsewhere may have, in addition to those of the JDK
   * @throws IOException when a secret is missing or not permitted, or the proxy cannot listen; the
   *     message names it
   */
  static AgentMcpRuntime start(
      Map<String, McpServerDefinition> definitions,
      StepContext context,
      Workspace workspace,
      AgentLaunch launch,
      TlsSettings tls,
      StepLog log)
      throws IOException, InterruptedException {
    McpStateFolder folder = new McpStateFolder(launch.folders().home());
    List<McpServerSpec> specs = new ArrayList<>();
    for (Map.Entry<String, McpServerDefinition> server : definitions.entrySet()) {
      specs.add(spec(server.getKey(), server.getValue(), launch, folder, context.secrets(), tls));
    }
    Map<String, AgentProcessLauncher> launchers = new HashMap<>();
    for (McpServerSpec spec : specs) {
      Map<String, String> marks = new HashMap<>(context.marks());
      marks.put(MARK, spec.name());
      launchers.put(
          spec.name(),
          new AgentProcessLauncher(
              context.hold(),
              workspace.root(),
              context.fixed(),
              marks,
              context.sandbox().map(sandbox -> sandbox.ofAgent(launch.folders().home()))));
    }
    boolean good = false;
    try {
      for (AgentProcessLauncher launcher : launchers.values()) {
        launcher.reach(Set.of());
      }
      McpServerPool pool =
          McpServerPool.start(
              specs, folder, name -> Objects.requireNonNull(launchers.get(name)), observer(log));
      good = true;
      return new AgentMcpRuntime(pool, List.copyOf(launchers.values()));
    } finally {
      if (!good) {
        launchers.values().forEach(AgentProcessLauncher::close);
      }
    }
  }

  private static McpObserver observer(StepLog log) {
    return new McpObserver() {
      @Override
      public void noted(String server, String note) {
        log.note("mcp server '" + server + "': " + note);
      }

      @Override
      public void printed(String server, String line) {
        log.note("mcp server '" + server + "': " + line);
      }
    };
  }

  private static McpServerSpec spec(
      String name,
      McpServerDefinition definition,
      AgentLaunch launch,
      McpStateFolder folder,
      RunSecretProvider secrets,
      TlsSettings tls)
      throws IOException {
    McpTextResolver text =
        new McpTextResolver(
            name, launch.folders().workspace().toString(), folder.files(name).toString(), secrets);
    McpServerSpec.Target target;
    if (definition.url().isPresent()) {
      target =
          new McpServerSpec.Remote(
              URI.create(definition.url().get()), text.resolved(definition.headers()), tls);
    } else {
      Map<String, String> environment = new HashMap<>(launch.environment());
      environment.putAll(text.resolved(definition.env()));
      target =
          new McpServerSpec.Program(
              definition.command().stream().map(text::placed).toList(),
              environment,
              launch.folders().workspace());
    }
    return new McpServerSpec(name, target, definition.timeout());
  }

  /** How the agent reaches the servers. */
  List<McpAccess> accesses() {
    return pool.accesses();
  }

  /**
   * Captures the state of the servers into the agent's home, within seconds.
   *
   * @return the result of each server, as a contributor of the checkpoint
   */
  Map<String, Manifest.Contribution> capture() throws InterruptedException {
    Map<String, Manifest.Contribution> contributions = new LinkedHashMap<>();
    for (Map.Entry<String, Optional<String>> server : pool.capture().entrySet()) {
      contributions.put(
          "mcp:" + server.getKey(),
          server.getValue().map(Manifest.Contribution::failed).orElse(Manifest.Contribution.OK));
    }
    return contributions;
  }

  /** Ends the servers, and everything that they have started; repeating it has no effect. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    pool.close();
    launchers.forEach(AgentProcessLauncher::close);
  }
}
