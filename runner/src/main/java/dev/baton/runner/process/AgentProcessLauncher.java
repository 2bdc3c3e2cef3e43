/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.sandbox.SandboxRelay;
import dev.baton.runner.sandbox.StepSandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts the processes of an agent in its workspace with the marks of its step, suspends them with
 * the lease, and ends all of them. Thread-safe.
 */
public final class AgentProcessLauncher implements AgentProcessStarter, AutoCloseable {
  private final RunLease hold;
  private final Path workspace;
  private final WorkspaceMount fixed;
  private final Map<String, String> marks;
  private Optional<StepSandbox> sandbox;
  private Optional<SandboxRelay> relay = Optional.empty();
  private final List<ProcessTree> trees = new CopyOnWriteArrayList<>();

  /**
   * @param workspace where the files are; processes see them where {@code fixed} shows them
   * @param marks variables that only processes of this step have
   * @param sandbox of the processes, if they have one
   */
  public AgentProcessLauncher(
      RunLease hold,
      Path workspace,
      WorkspaceMount fixed,
      Map<String, String> marks,
      Optional<StepSandbox> sandbox) {
    this.hold = hold;
    this.workspace = workspace;
    this.fixed = fixed;
    this.marks = Map.copyOf(marks);
    this.sandbox = sandbox;
  }

  /**
   * Lets processes that start from now on reach these ports of the runner's loopback, and the hosts
   * of their sandbox, if they have one without the network of the host.
   *
   * @throws IOException when the relay cannot listen
   */
  public synchronized void reach(Set<Integer> ports) throws IOException {
    if (sandbox.isEmpty()) {
      return;
    }
    Optional<SandboxRelay> opened = sandbox.get().openRelay(ports);
    if (opened.isPresent()) {
      closeRelay();
      relay = opened;
      sandbox = Optional.of(sandbox.get().reaching(opened.get()));
    }
  }

  private synchronized Optional<StepSandbox> sandbox() {
    return sandbox;
  }

  @Override
  public AgentProcess start(AgentCommand command) throws IOException {
    Optional<StepSandbox> inside = sandbox();
    Map<String, String> environment = new java.util.HashMap<>(command.environment());
    environment.putAll(marks);
    AtomicReference<@Nullable Process> begun = new AtomicReference<>();
    ProcessTree tree;
    try {
      tree =
          hold.begin(
              () -> {
                Process started =
                    SessionProcessStarter.startWithInput(
                        command.arguments(), workspace, environment, fixed, inside);
                begun.set(started);
                return new ProcessTree(
                    started.toHandle(),
                    marks.entrySet().stream()
                        .map(mark -> mark.getKey() + "=" + mark.getValue())
                        .collect(Collectors.toSet()),
                    inside.isPresent());
              });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("stopped").initCause(e);
    }
    trees.add(tree);
    return new StartedProcess(Objects.requireNonNull(begun.get()), tree);
  }

  /** Returns the pids of the started processes, also of those that have ended. */
  public Set<Long> roots() {
    return trees.stream().map(ProcessTree::root).collect(Collectors.toSet());
  }

  /** Kills all processes of the step, also those that the agent has left. */
  @Override
  public void close() {
    for (ProcessTree tree : trees) {
      tree.killWhateverComes();
      hold.end(tree);
    }
    trees.clear();
    closeRelay();
  }

  private synchronized void closeRelay() {
    relay.ifPresent(SandboxRelay::close);
    relay = Optional.empty();
  }

  private record StartedProcess(Process process, ProcessTree tree) implements AgentProcess {
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
      tree.terminate();
    }

    @Override
    public void kill() {
      tree.killWhateverComes();
    }
  }
}
