/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Starts processes without marks, for tests and tools; kills the tree of their children. */
public final class PlainProcessStarter implements AgentProcessStarter {
  @Override
  public AgentProcess start(AgentCommand command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command.arguments()).directory(command.directory().toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(command.environment());
    return new PlainProcess(builder.start());
  }

  private record PlainProcess(Process process) implements AgentProcess {
    @Override
    public OutputStream stdin() {
      return process.getOutputStream();
    }

    @Override
    public InputStream stdout() {
      return process.getInputStream();
    }

    @Override
    public InputStream stderr() {
      return process.getErrorStream();
    }

    @Override
    public long pid() {
      return process.pid();
    }

    @Override
    public CompletableFuture<Integer> onExit() {
      return process.onExit().thenApply(Process::exitValue);
    }

    @Override
    public void terminate() {
      process.destroy();
    }

    @Override
    public void kill() {
      List<ProcessHandle> children = process.descendants().toList();
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
