/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.measure.Footprint;
import dev.baton.benchmarks.measure.ProcessFigures;
import dev.baton.standalone.Component;
import dev.baton.standalone.Stack;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.process.MarkedProcesses;
import dev.baton.standalone.process.ProcessId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** A stack in a folder of its own, and the processes it is made of. */
public final class EmbeddedStack implements AutoCloseable {
  private static final String RUNNER = "runner";

  private final Stack stack;

  private EmbeddedStack(Stack stack) {
    this.stack = stack;
  }

  /**
   * Starts all components, on free ports.
   *
   * @param environment more variables for components, by the component's label
   * @throws IOException when one does not become ready; then nothing is left running
   */
  public static EmbeddedStack start(
      Path data, Map<String, Map<String, String>> environment, Consumer<String> progress)
      throws IOException, InterruptedException {
    StackBuilder builder = Stack.builder().data(data).progress(progress);
    for (Component component : Component.values()) {
      environment
          .getOrDefault(component.label(), Map.of())
          .forEach((name, value) -> builder.environment(component, name, value));
    }
    return new EmbeddedStack(builder.start());
  }

  public URI orchestrator() {
    return URI.create(stack.orchestratorUrl());
  }

  public String kafka() {
    return stack.kafkaBootstrap();
  }

  LogBatches traceBatches() throws IOException {
    return LogBatches.ofTrace(stack.data().resolve(Component.KAFKA.label()));
  }

  Footprint footprint() throws IOException {
    return ProcessFigures.of(processes());
  }

  /** All processes of the stack, runners included, with the component each belongs to. */
  public Map<Long, String> processes() throws IOException {
    Map<Long, String> components = new HashMap<>();
    for (Component component : Component.values()) {
      Optional<ProcessId> process = stack.process(component);
      process.ifPresent(id -> components.put(id.pid(), component.label()));
    }
    Map<Long, String> parts = new TreeMap<>(components);
    components.forEach(
        (pid, component) -> descendants(pid).forEach(it -> parts.put(it, of(component))));
    // Runners whose orchestrator has died are nobody's descendants.
    for (ProcessId process : MarkedProcesses.withVariable(Stack.MARK, stack.data().toString())) {
      parts.putIfAbsent(process.pid(), RUNNER);
    }
    return parts;
  }

  private static LongStream descendants(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .mapToLong(ProcessHandle::pid);
  }

  /** Postgres works in many processes; what the orchestrator has started are runners. */
  private static String of(String parent) {
    return parent.equals(Component.ORCHESTRATOR.label()) ? RUNNER : parent;
  }

  @Override
  public void close() throws IOException {
    stack.close();
  }
}
